"""Rivals that learn from pixels: that they can learn, and their policies on disk and at play."""

import numpy as np
import pytest
import torch
from tests.baselines.one_block import ARENA, SIZE, draw_clips, success

from ncs.baselines.cloning import Cloning, CloningConfig
from ncs.baselines.gcivl import Gcivl, GcivlConfig
from ncs.baselines.iql import Iql, IqlConfig
from ncs.baselines.pixels import Actor
from ncs.baselines.presets import rival_config
from ncs.baselines.rival import POLICY, PixelPolicy, load_policy, save_policy
from ncs.records import DataError, Policy
from ncs.storage import read_arrays, write_arrays, write_json
from ncs.training.checkpoint import load_model
from ncs.training.train import train

SMALL = {**ARENA, "size": SIZE, "features": (8, 16), "hidden": (64, 64), "crop_pad": 0}
RIVALS = {
    "bc": lambda **changes: Cloning(CloningConfig(**SMALL, **changes)),
    "iql": lambda **changes: Iql(IqlConfig(**SMALL, **changes)),
    "gcivl": lambda **changes: Gcivl(GcivlConfig(**SMALL, **changes)),
}


def learn(rival, n_moves, steps, batch=48, peak=0.004):
    """Trains on clips of one block; the share of fresh tasks that the policy then solves."""
    rng, generator = np.random.default_rng(0), torch.Generator().manual_seed(0)
    frame, action, _ = draw_clips(rng, 1500, n_moves)
    frame, action = torch.from_numpy(frame), torch.from_numpy(action)
    groups = [{"params": group.parameters} for group in rival.parameter_groups()]
    optimiser = torch.optim.Adam(groups, lr=peak)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = peak * min(1.0, 2 * (1 - step / steps))
        index = torch.from_numpy(rng.integers(len(frame), size=batch))
        loss = rival.loss(frame[index], action[index], step, generator)
        optimiser.zero_grad()
        loss.total.backward()
        optimiser.step()
        rival.settle()
    return success(rival.actor.eval(), np.random.default_rng(1))


@pytest.mark.parametrize(("name", "steps"), [("bc", 200), ("iql", 150), ("gcivl", 150)])
def test_each_rival_learns_to_move_one_block_from_the_best_demonstrations(name, steps):
    torch.manual_seed(0)
    assert learn(RIVALS[name](), n_moves=1, steps=steps) > 0.5  # chance is 1 in 256


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A rival of three steps, trained by the training room."""
    folder = tmp_path_factory.mktemp("rival")
    frame, action, _ = draw_clips(np.random.default_rng(0), 20, 4)
    sha256 = write_arrays(
        folder / "clips-00000.safetensors", {"frame": frame, "action": action}, {"clips": 20}
    )
    shards = [{"name": "clips-00000.safetensors", "clips": 20, "sha256": sha256}]
    manifest = {"format": 1, "world": "block-rearrange", "episodes": 20, "objects": 4}
    write_json(folder / "manifest.json", {**manifest, "seed": 0, "frames": 5, "shards": shards})
    usual = rival_config("iql", **ARENA).model_dump()
    usual |= {"steps": 3, "batch": 4, "holdout_clips": 1, "network": SMALL, "threads": 1}
    config = type(rival_config("iql", **ARENA))(**usual)
    train(config, folder, folder / "model")
    half = config.model_copy(update={"checkpoint_every": 1})
    train(half, folder, folder / "again", minutes=1e-9)
    train(half, folder, folder / "again", resume=True)
    return folder


def test_a_run_that_was_stopped_ends_in_the_same_policy(trained):
    assert save_policy(trained / "again").checkpoint == save_policy(trained / "model").checkpoint


def test_a_saved_policy_acts_as_it_did(trained):
    saved = save_policy(trained / "model")
    loaded = load_policy(trained / "model")
    assert (loaded.method, loaded.world) == ("iql", "block-rearrange")
    assert loaded.checkpoint == saved.checkpoint
    frame, _, _ = draw_clips(np.random.default_rng(3), 4, 1)
    policies: list[Policy] = [PixelPolicy(saved.actor), PixelPolicy(loaded.actor)]
    actions = [policy.act(frame[:, 0], frame[:, 1], range(4)) for policy in policies]
    np.testing.assert_array_equal(*actions)
    assert actions[0].shape == (4, 6)
    assert actions[0].dtype == np.float32


def test_a_policy_does_the_same_whoever_plays_beside_it():
    torch.manual_seed(0)
    policy = PixelPolicy(Actor(CloningConfig(**SMALL)))
    frame, _, _ = draw_clips(np.random.default_rng(3), 4, 1)
    together = policy.act(frame[:, 0], frame[:, 1], range(4))
    alone = policy.act(frame[2:3, 0], frame[2:3, 1], [2])
    np.testing.assert_allclose(together[2:3], alone, atol=1e-6)


def test_a_rival_is_no_world_model(trained):
    with pytest.raises(DataError, match="holds iql, which is no world model"):
        load_model(trained / "model")


def test_what_is_no_policy_is_refused(trained, tmp_path):
    with pytest.raises(DataError, match="holds no trained policy; make one with 'ncs train-rival'"):
        load_policy(tmp_path)
    save_policy(trained / "model")
    arrays, about = read_arrays(trained / "model" / POLICY)
    for change, complaint in (
        ({"format": "other"}, "format 'other'"),
        ({"actor": {**about["actor"], "latent": 7}}, "has shape"),
        ({"actor": {**about["actor"], "latent": 10**9}}, "latent"),
        ({"actor": None}, "no policy can be built"),
    ):
        write_arrays(tmp_path / POLICY, arrays, {**about, **change})
        with pytest.raises(DataError, match=complaint):
            load_policy(tmp_path)


def test_drawn_actions_lie_about_the_mean_and_each_lane_has_its_own_stream():
    torch.manual_seed(0)
    actor = Actor(CloningConfig(**SMALL))
    picture = np.random.default_rng(0).integers(0, 256, (1, SIZE, SIZE, 3), dtype=np.uint8)
    many = np.repeat(picture, 400, axis=0)
    mean = PixelPolicy(actor)
    mean.begin([(0,)])
    expected = mean.act(picture, picture, [0])[0]
    drawing = PixelPolicy(actor, sigma=0.1)
    drawing.begin([(0, lane) for lane in range(400)])
    drawn = drawing.act(many, many, range(400))
    reach = np.array(ARENA["high"]) - np.array(ARENA["low"])
    assert np.allclose(drawn.mean(axis=0), expected, atol=0.02)
    assert np.allclose(drawn[:, :2].std(axis=0), 0.1 * reach / 2, rtol=0.15)
    drawing.begin([(0, 7)])
    assert np.allclose(drawing.act(picture, picture, [0])[0], drawn[7], atol=1e-5)
