"""Moves label pixels: of the thing moved, of nothing, and of neither; failed ones say nothing."""

import torch
from tests.model.touched.painted import Clips, make_clips, to_world

from ncs.model.touched.change import as_image
from ncs.model.touched.labels import Labels, label, read_moves
from ncs.model.touched.measure import measure
from ncs.model.touched.measures import Measures
from ncs.model.touched.moved import Moved


def prepared(**world: float) -> tuple[Clips, Measures]:
    clips = make_clips(60, 3, **world)  # type: ignore[arg-type]
    measures = Measures()
    measures.take(measure(clips.frame, clips.action, 128))
    return clips, measures


def read(clips: Clips, measures: Measures) -> Moved:
    return read_moves(as_image(clips.frame, measures.shape), clips.action, measures)


def one_move(height: int = 48, width: int = 64) -> Clips:
    """A red disc goes from the left to the right; a blue one stays."""
    frame = torch.full((1, 2, height, width, 3), 150, dtype=torch.uint8)
    frame[0, 0, 20:28, 8:16] = torch.tensor([200, 0, 0], dtype=torch.uint8)
    frame[0, 1, 20:28, 40:48] = torch.tensor([200, 0, 0], dtype=torch.uint8)
    frame[0, :, 36:44, 24:32] = torch.tensor([0, 0, 200], dtype=torch.uint8)
    pixel = torch.tensor([[[[12.0, 24.0], [28.0, 40.0]], [[44.0, 24.0], [28.0, 40.0]]]]).double()
    start, end = torch.from_numpy(to_world(pixel[0, :, 0].numpy()))
    return Clips(frame, torch.cat([start, end - start])[None, None], pixel.numpy())


def test_a_hand_made_move_is_labelled_as_a_person_would() -> None:
    _, measures = prepared()
    clips = one_move()
    labels = label(read(clips, measures), (0, 1), measures)
    red = [torch.zeros(48, 64, dtype=torch.bool) for _ in range(2)]
    red[0][20:28, 8:16] = True
    red[1][20:28, 40:48] = True
    for frame in (0, 1):
        assert labels.known[frame, 0]
        assert (labels.thing[frame, 0] == red[frame]).all()
        assert labels.nothing[frame][red[1 - frame]].all()  # the same pixels without it
        assert not labels.nothing[frame][red[frame]].any()
        assert not labels.nothing[frame, 36:44, 24:32].any()  # nobody knows what stands there
    assert labels.who[0, 0] == labels.who[1, 0]


def test_a_move_that_changed_nothing_says_nothing() -> None:
    _, measures = prepared()
    clips = one_move()
    clips.frame[0, 1] = clips.frame[0, 0]
    moved = read(clips, measures)
    labels = label(moved, (0, 1), measures)
    assert not moved.worked.any()
    assert not labels.known.any()
    assert not labels.thing.any()


def test_a_thing_that_did_not_arrive_says_nothing() -> None:
    _, measures = prepared()
    clips = one_move()
    clips.frame[0, 1, 20:28, 40:48] = 150
    assert not read(clips, measures).worked.any()


def test_what_changes_away_from_the_action_is_no_thing() -> None:
    _, measures = prepared()
    clips = one_move()
    clips.frame[0, 1, 2:8, 50:60] = 20  # an arm comes into view
    labels = label(read(clips, measures), (0, 1), measures)
    assert labels.nothing[:, 2:8, 50:60].all()
    assert not labels.thing[:, :, 2:8, 50:60].any()


def right_share(labels: Labels, clips: Clips, frame: int) -> float:
    """Share of labelled things whose pixels lie on the disc whose place they name."""
    n_clips = len(clips.frame)
    right = total = 0
    for b in range(n_clips):
        for m in labels.known[b].nonzero()[:, 0]:
            y, x = labels.thing[b, m].nonzero(as_tuple=True)
            middle = torch.tensor([x.float().mean() + 0.5, y.float().mean() + 0.5])
            gap = (torch.from_numpy(clips.pixel[b, frame]).float() - middle).norm(dim=1)
            right += int(gap.min() < 1.5)
            total += 1
    return right / total


def test_a_move_speaks_of_every_frame_of_its_clip_and_truly() -> None:
    clips, measures = prepared()
    moved = read(clips, measures)
    for frame in range(4):
        labels = label(moved, (frame,), measures)
        assert labels.known.sum() > 1.5 * len(clips.frame)
        assert right_share(labels, clips, frame) > 0.97


def test_failed_moves_among_others_teach_nothing_wrong() -> None:
    clips, measures = prepared(fail=0.4)
    moved = read(clips, measures)
    for frame in range(4):
        assert right_share(label(moved, (frame,), measures), clips, frame) > 0.97


def test_a_thing_moved_twice_is_one_thing() -> None:
    clips, measures = prepared()
    moved = read(clips, measures)
    gap = (clips.pixel[:, 1:] - clips.pixel[:, :-1]).reshape(60, 3, 3, 2)
    mover = torch.from_numpy(abs(gap).sum(-1)).argmax(dim=2)  # the disc of each move
    same_truth = mover[:, :, None] == mover[:, None]
    same_said = moved.who[:, :, None] == moved.who[:, None]
    both = moved.worked[:, :, None] & moved.worked[:, None]
    assert (same_truth == same_said)[both].float().mean() > 0.99


def test_a_slit_of_a_thing_is_told_where_things_can_be_at_few_places() -> None:
    _, measures = prepared()
    clips = one_move()
    frame = torch.cat([clips.frame[:, :1], clips.frame], dim=1)
    frame[0, 0, 20:27, 8:16] = 90  # seven eighths of it are covered at first
    elsewhere = clips.action.clone()
    elsewhere[..., :3] = clips.action[..., :3] + clips.action[..., 3:]
    covered = Clips(frame, torch.cat([elsewhere, clips.action], dim=1), clips.pixel)
    assert not label(read(covered, measures), (0,), measures).known[0, 1]
    measures.spots[0] = 0.0
    measures.take({"least": 4.0})
    labels = label(read(covered, measures), (0,), measures)
    assert labels.known[0, 1]
    assert int(labels.thing[0, 1].sum()) == 8
