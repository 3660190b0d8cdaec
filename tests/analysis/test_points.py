"""Studies come back from the disk as they were asked for."""

from pathlib import Path

import pytest
from tests.analysis.studies import point, result

from ncs.agent.methods import RandomMethod
from ncs.analysis.points import about, in_words, load_points, of_study, save_points
from ncs.envs import make_env
from ncs.evaluation.grid import Request, play
from ncs.evaluation.harness import JudgeConfig
from ncs.evaluation.results import read_results
from ncs.records import DataError

WORLD = "block-rearrange"


def request(study: str, noise: float) -> Request:
    rules = JudgeConfig(
        world=WORLD, objects=(4,), goals=("complete",), seeds=2, episodes=2, split="dev",
        noise=noise,
    )  # fmt: skip
    value = f"{noise:g}" if study == "noise" else ""
    method = RandomMethod(name="random")
    return Request(study=study, label="chance", value=value, method=method, rules=rules)


def test_points_are_read_back_with_their_own_results(tmp_path: Path) -> None:
    requests = [request("table", 0), request("noise", 0), request("noise", 2)]
    for _ in play(make_env, requests, tmp_path / "cells", map):
        pass
    save_points(tmp_path, requests, tmp_path / "cells", {"scale": "tiny"})
    points = load_points(tmp_path)
    assert [(p.study, p.label, p.value) for p in points] == [
        ("table", "chance", ""),
        ("noise", "chance", "0"),
        ("noise", "chance", "2"),
    ]
    assert all(len(p.results) == 4 for p in points)
    assert {r.noise for r in points[2].results} == {2.0}
    assert points[0].results == points[1].results
    assert len(read_results(tmp_path / "noise.jsonl.gz")) == 8
    assert about(tmp_path) == {"scale": "tiny"}


def test_an_unfinished_request_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        save_points(tmp_path, [request("noise", 0)], tmp_path / "cells", {})
    assert not (tmp_path / "index.json").exists()


def test_a_score_is_over_seeds() -> None:
    assert point("noise", "ncs", "1", 0.25).score.mean == 0.25
    assert point("noise", "ncs", "1", 0.25).score.seeds == 2


def test_a_study_is_found_by_its_name() -> None:
    points = [point("noise", "ncs", "1", 0.1), point("slots", "ncs", "1", 0.1)]
    assert of_study(points, "slots") == points[1:]


def test_a_caption_says_what_was_run() -> None:
    rows = [
        result(episode=e, seed=s, objects=n) for e in range(3) for s in range(2) for n in (4, 7)
    ]
    assert in_words(rows) == (
        "4 to 7 objects, complete goals, dev tasks, 2 seeds of 3 episodes a cell"
    )
    assert "1 to 3 episodes" in in_words([*rows, result(method="mpc")])
    assert "1 seed of 1 episodes" in in_words([result()])
