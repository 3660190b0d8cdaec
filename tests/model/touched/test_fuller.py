"""Fuller scenes: things come with their labels, and leave behind what only a neighbour tells."""

from dataclasses import replace

import torch

from ncs.model.touched.fuller import Scenes, draw_blots, paste, repaint
from ncs.model.touched.labels import Labels


def two_pictures(height_of_second: float) -> Scenes:
    """A thing at the left of the first picture, one at the right of the second."""
    thing = torch.zeros(2, 1, 8, 16, dtype=torch.bool)
    thing[0, 0, 2:5, 2:5] = True
    thing[1, 0, 2:5, 10:13] = True
    place = torch.tensor([[[0.0, 0.0, 0.0]], [[1.0, 0.0, height_of_second]]])
    image = torch.zeros(2, 3, 8, 16)
    image[0, :, 2:5, 2:5], image[1, :, 2:5, 10:13] = 0.3, 0.9
    labels = Labels(
        thing=thing,
        known=torch.ones(2, 1, dtype=torch.bool),
        place=place,
        who=torch.tensor([[0], [1]]),
        nothing=~thing.any(dim=1),
    )
    return Scenes(image, labels)


def pasted(height_of_second: float, highest: float) -> Scenes:
    for seed in range(20):  # what comes is drawn
        generator = torch.Generator().manual_seed(seed)
        scenes = paste(two_pictures(height_of_second), 1.0, generator, highest)
        if scenes.labels.known[0, 1]:
            return scenes
    return scenes


def test_a_thing_comes_with_pixels_place_and_name() -> None:
    scenes = pasted(0.0, highest=0.5)
    assert (scenes.image[0, :, 2:5, 10:13] == 0.9).all()
    assert scenes.labels.known[0].all()
    assert scenes.labels.who[0].tolist() == [0, 1]
    assert scenes.labels.place[0, 1].tolist() == [1.0, 0.0, 0.0]
    assert not scenes.labels.nothing[0, 2:5, 10:13].any()


def test_what_stood_on_another_stays_there() -> None:
    scenes = pasted(1.0, highest=0.5)
    assert not scenes.labels.known[0, 1]
    assert (scenes.image[0, :, 2:5, 10:13] == 0).all()


def test_half_of_the_grounds_change_and_things_do_not() -> None:
    scenes = two_pictures(0.0)
    scenes = replace(scenes, image=scenes.image + 0.4 * scenes.labels.nothing[:, None])
    thing_NHW = scenes.labels.thing.any(dim=1)
    generator, painted_of_40 = torch.Generator().manual_seed(0), 0
    for _ in range(20):
        painted = repaint(scenes, 0.5, generator)
        unchanged_NHW = (painted.image == scenes.image).all(dim=1)
        assert unchanged_NHW[thing_NHW].all()
        pairs = list(zip(unchanged_NHW, thing_NHW, strict=True))
        ground_N = [unchanged[~thing] for unchanged, thing in pairs]
        assert all(ground.all() or not ground.any() for ground in ground_N)
        painted_of_40 += sum(not bool(ground.any()) for ground in ground_N)
        ground = painted.image.movedim(1, -1)[~thing_NHW]
        assert ground.min() >= 0.4 * (1 - 0.5 * 1.25)
        assert ground.max() <= 0.4 * (1 + 0.5 * 1.25)
    assert 10 <= painted_of_40 <= 30


def test_blots_are_drawn_by_the_generator_for_pictures_of_any_shape() -> None:
    first, again, other = (
        draw_blots(3, (5, 40), torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)
    )
    assert first.shape == (3, 1, 5, 40)
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert first.abs().max() <= 1
    assert first.std() > 0.1
