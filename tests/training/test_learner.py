"""One step of training: groups, clipping, averaging and the split of a batch."""

from pathlib import Path

import pytest
import torch
from tests.tiny_world import Tiny, tiny_config

from ncs.data.buffer import open_buffer
from ncs.records import ConfigError
from ncs.training.learner import DivergenceError, Learner, check_groups, cut_batches, new_model
from ncs.training.schedule import TrainConfig, draw_clips
from ncs.training.team import Team


def learner(**values: object) -> Learner:
    config = tiny_config(**values)
    return Learner(new_model(config), config, Team(torch.device("cpu")))


def batches(buffer: Path, config: TrainConfig, step: int = 0):
    draw = draw_clips(config, 16, 5, step)
    clips = open_buffer(buffer).clips(draw.index)
    return cut_batches(config, clips, draw, step, range(config.shards), torch.device("cpu"))


def test_parts_of_a_batch_are_its_clips_in_order_each_with_its_own_seed(tiny_buffer: Path) -> None:
    config = tiny_config(clip_frames=2)
    one, two = batches(tiny_buffer, config)
    draw = draw_clips(config, 16, 5, 0)
    clips = open_buffer(tiny_buffer).clips(draw.index)
    for i, frame in enumerate(torch.cat([one.frame, two.frame])):
        first = draw.first[i]
        assert (frame.numpy() == clips.frame[i, first : first + 2]).all()
    assert one.action.shape == (2, 1, 6)
    assert one.seed != two.seed


def test_parts_handed_to_a_process_are_those_of_the_whole(tiny_buffer: Path) -> None:
    config = tiny_config(clip_frames=2)
    draw = draw_clips(config, 16, 5, 3)
    mine = open_buffer(tiny_buffer).clips(draw.index[2:])
    (part,) = cut_batches(config, mine, draw, 3, range(1, 2), torch.device("cpu"))
    whole = batches(tiny_buffer, config, 3)[1]
    assert part.seed == whole.seed
    assert torch.equal(part.frame, whole.frame)
    assert torch.equal(part.action, whole.action)


@pytest.mark.parametrize(("order", "norm"), [("linf", float("inf")), ("l2", 2.0)])
def test_gradients_are_clipped_by_the_chosen_norm(
    order: str, norm: float, tiny_buffer: Path
) -> None:
    one = learner(clip_order=order, clip_norm=1e-3)
    one.gradient(batches(tiny_buffer, one.config))
    before = one.commit()
    clipped = torch.cat([p.grad.flatten() for p in one.parameters if p.grad is not None])
    assert before > 1e-3
    assert float(clipped.norm(norm)) == pytest.approx(1e-3, rel=1e-2)


def test_a_gradient_that_is_no_number_changes_nothing(tiny_buffer: Path) -> None:
    one = learner()
    one.gradient(batches(tiny_buffer, one.config))
    one.parameters[0].grad[0] = torch.nan
    before = one.weights()
    with pytest.raises(DivergenceError, match="gradient is not finite"):
        one.commit()
    assert all((before[name] == array).all() for name, array in one.weights().items())


def test_a_model_in_use_has_the_averaged_weights_and_gives_them_back(tiny_buffer: Path) -> None:
    one = learner(average=0.99)
    for step in range(3):
        one.gradient(batches(tiny_buffer, one.config, step))
        one.commit()
    raw = one.model.reader.weight.detach().clone()
    with one.in_use() as model:
        assert torch.equal(model.reader.weight, one.mean["reader.weight"])
        assert not model.training
    assert torch.equal(one.model.reader.weight, raw)
    assert one.model.training
    assert (one.weights()["reader.weight"] == one.mean["reader.weight"].numpy()).all()


def test_a_parameter_nobody_used_stays_as_it_is(tiny_buffer: Path) -> None:
    one = learner()
    before = one.model.unused.weight.detach().clone()
    one.gradient(batches(tiny_buffer, one.config))
    one.commit()
    assert torch.equal(one.model.unused.weight, before)


def test_groups_must_hold_every_parameter_once() -> None:
    config = tiny_config()
    model = new_model(config)
    assert isinstance(model, Tiny)
    groups = model.parameter_groups()
    with pytest.raises(ConfigError, match=r"painter\.weight is in 0 groups"):
        check_groups(model, groups[:1])
    with pytest.raises(ConfigError, match=r"reader\.weight is in 2 groups"):
        check_groups(model, [*groups, groups[0]])
