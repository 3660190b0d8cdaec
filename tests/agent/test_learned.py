"""What the shipped way of training gives is learned: without it the same model solves nothing."""

from pathlib import Path

import numpy as np

from ncs.agent import GraphBuilder
from ncs.agent.build_graph import install
from ncs.agent.methods import make_method
from ncs.agent.options import MethodOptions
from ncs.data.buffer import open_buffer
from ncs.envs import make_env
from ncs.evaluation.harness import JudgeConfig, evaluate
from ncs.evaluation.results import read_results
from ncs.training.presets import preset
from ncs.training.train import train

STEPS = 50
TASKS = JudgeConfig(
    world="block-rearrange", objects=(4,), goals=("complete",), seeds=1, episodes=10, split="dev"
)


def score(buffer: Path, folder: Path, steps: int) -> float:
    """Success on development tasks after so many steps of the preset that ships."""
    config = preset("fast").model_copy(update={"steps": steps, "threads": 1})
    train(config, buffer, folder)
    builder = GraphBuilder(folder, open_buffer(buffer))
    install(builder.build(builder.plan("best")), folder)
    method = make_method("ncs", MethodOptions(world=TASKS.world, model=folder))
    for _ in evaluate(make_env, method, TASKS, folder / "rows.jsonl"):
        pass
    return float(np.mean([row.final for row in read_results(folder / "rows.jsonl")]))


def test_a_few_seconds_of_training_are_worth_half_of_all_tasks(
    small_buffer: Path, tmp_path: Path
) -> None:
    untrained = score(small_buffer, tmp_path / "untrained", 0)
    assert untrained < 0.1
    assert score(small_buffer, tmp_path / "trained", STEPS) > untrained + 0.5
