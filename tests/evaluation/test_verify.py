"""Rows that are true pass; a row that was made up, left out or made better is named."""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY

from ncs.agent.remake import Shelf
from ncs.baselines.rival import load_policy
from ncs.envs import make_env
from ncs.evaluation.harness import JudgeConfig, evaluate
from ncs.evaluation.results import read_results
from ncs.evaluation.verify import audit, draw, replay, rules_of
from ncs.records import ConfigError, DataError, Result
from ncs.registry import ALLOWED

MODEL = REPOSITORY / "checkpoints" / "blocks-fast-0"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    """Six rows of chance on frozen test tasks."""
    from ncs.agent.methods import make_method
    from ncs.agent.options import MethodOptions

    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    method = make_method("random", MethodOptions(world="block-rearrange"))
    config = JudgeConfig(world="block-rearrange", objects=(4,), seeds=1, episodes=3)
    for _ in evaluate(make_env, method, config, path):
        pass
    return read_results(path)


def played_again(rows: list[Result]) -> Iterator[list[str]]:
    remake = Shelf([MODEL.parent]).method
    for found in replay(make_env, draw(rows, len(rows), 25, 0), remake, 1):
        yield [difference.name for difference in found]


def test_true_rows_pass(rows: list[Result]) -> None:
    assert list(audit(rows)) == []
    assert list(played_again(rows)) == [[]] * 6


def test_a_score_that_was_made_better_is_found(rows: list[Result]) -> None:
    better = [replace(row, best=1.0, final=1.0) if row.episode == 1 else row for row in rows]
    assert list(audit(better)) == []
    assert sorted(played_again(better)) == [[], [], [], [], ["final", "best"], ["final", "best"]]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"unsatisfied": 0}, "starts solved"),
        ({"task": "0" * 12}, "its task is not that of the frozen suite"),
        ({"minimum_moves": 3}, "its task is not that of the frozen suite"),
        ({"best": -1.0}, "ends better"),
    ],
)
def test_a_row_that_cannot_be_true_is_named(
    rows: list[Result], change: dict[str, object], complaint: str
) -> None:
    (line,) = audit([replace(rows[0], **change), *rows[1:]])
    assert line.startswith("random on block-rearrange, complete goals, 4 objects, seed 0, episode")
    assert complaint in line


def test_episodes_that_were_left_out_are_missed(rows: list[Result]) -> None:
    (line,) = audit([row for row in rows if (row.goal, row.episode) != ("partial", 1)])
    assert line.endswith("seed 0: lacks 1 of 3 episodes, such as 1")


def test_other_settings_than_the_hash_says_are_refused(rows: list[Result]) -> None:
    other = [replace(row, cap_factor=8) for row in rows]
    with pytest.raises(DataError, match="do not give the hash"):
        list(played_again(other))


def test_fresh_tasks_are_found_by_their_name(rows: list[Result]) -> None:
    rules = rules_of(replace(rows[0], split="fresh:crowded:7"))
    assert (rules.split, rules.style, rules.setup, rules.draw) == ("fresh", "crowded", "", 7)
    assert rules.split_name == "fresh:crowded:7"


def test_a_model_that_is_not_here_is_asked_for(rows: list[Result], tmp_path: Path) -> None:
    row = replace(rows[0], method="ncs", weights="0" * 12, settings={"preset": "best"})
    with pytest.raises(DataError, match="name its folder with --models"):
        Shelf([tmp_path]).method(row)
    with pytest.raises(DataError, match="of an old version"):
        Shelf([tmp_path]).method(replace(row, settings={}))


def test_a_rival_without_settings_is_its_mean(rows: list[Result]) -> None:
    folder = REPOSITORY / "checkpoints" / "rivals" / "blocks-bc-0"
    weights = load_policy(folder).checkpoint
    made = Shelf([folder]).method(replace(rows[0], method="bc", weights=weights, settings={}))
    assert (made.name, made.settings()) == ("bc", {})


def test_a_graph_may_lie_in_a_folder_of_its_own(tmp_path: Path) -> None:
    (row, *_) = read_results(REPOSITORY / "results" / "blocks-fast-0.jsonl.gz")
    model, graphs = tmp_path / "model", tmp_path / "graphs"
    shutil.copytree(MODEL, model, ignore=shutil.ignore_patterns("graph*", "health", "pictures"))
    graphs.mkdir()
    with pytest.raises(DataError, match="name the folder that has it"):
        Shelf([model, graphs]).method(row)
    for path in MODEL.glob("graph*"):
        shutil.copy(path, graphs / f"other-{path.name}")
    assert Shelf([model, graphs]).method(row).name == "ncs"


def test_code_that_a_row_names_is_not_run_unasked(
    rows: list[Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = replace(rows[0], method="nobody:nothing")
    monkeypatch.delenv(ALLOWED, raising=False)
    with pytest.raises(ConfigError, match="allow it with --allow 'nobody:nothing'"):
        Shelf([tmp_path]).method(row)
    monkeypatch.setenv(ALLOWED, "nobody:nothing")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        Shelf([tmp_path]).method(row)


def test_an_extension_that_a_row_names_is_not_run_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ALLOWED, raising=False)
    (row, *_) = read_results(REPOSITORY / "results" / "blocks-fast-0.jsonl.gz")
    control = {**row.settings["control"], "extensions": ["this:s"]}
    forged = replace(row, settings={**row.settings, "control": control})
    with pytest.raises(ConfigError, match="extension: 'this:s' is code of somebody's own"):
        Shelf([MODEL.parent]).method(forged)
    assert "this" not in sys.modules


@pytest.mark.parametrize(
    "name", ["blocks-fast-0", "robogym-fast-0", "blocks-cpu-0", "blocks-thinned-0"]
)
def test_the_methods_of_published_rows_can_be_made_again(name: str) -> None:
    from ncs.evaluation.harness import judge_hash

    shelf = Shelf([MODEL.parent])
    rows = read_results(REPOSITORY / "results" / f"{name}.jsonl.gz")
    kinds = {(row.label, row.goal, row.config, row.checkpoint): row for row in rows}
    for row in kinds.values():
        assert judge_hash(shelf.method(row), rules_of(row)) == row.config
