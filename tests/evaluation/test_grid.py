"""A grid is played piece by piece, each once, and comes out the same whoever played it."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ncs.agent.methods import RandomMethod, make_method
from ncs.agent.options import MethodOptions
from ncs.envs import make_env
from ncs.evaluation.grid import (
    Request,
    missing,
    pieces,
    play,
    read_piece,
    results_of,
    save_results,
    share_of,
)
from ncs.evaluation.harness import Job, JudgeConfig
from ncs.evaluation.method import Method
from ncs.evaluation.results import read_results
from ncs.records import Checkpoint, DataError, Result

RULES = JudgeConfig(world="block-rearrange", objects=(4, 5), seeds=2, episodes=3, split="dev")


class Slow(RandomMethod):
    pace: int


def plain(name: str) -> Method:
    return make_method(name, MethodOptions(world=RULES.world))


REQUESTS = [
    Request(study="table", label=name, method=plain(name), rules=RULES, batch=2)
    for name in ("random", "oracle")
]


def here(function: Callable[[Job], list[Result]], jobs: Sequence[Job]) -> Iterator[list[Result]]:
    return map(function, jobs)


def run(folder: Path, **settings: object) -> None:
    for _ in play(make_env, REQUESTS, folder, here, **settings):  # type: ignore[arg-type]
        pass


def rows(folder: Path) -> list[Result]:
    return [replace(r, seconds=0.0) for request in REQUESTS for r in results_of(request, folder)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Result]:
    folder = tmp_path_factory.mktemp("whole")
    run(folder)
    return rows(folder)


def test_every_episode_of_every_request_is_there_once(whole: list[Result]) -> None:
    names = [(r.method, r.goal, r.objects, r.seed, r.episode) for r in whole]
    assert len(set(names)) == len(names) == 2 * 2 * 2 * 2 * 3


def test_shards_are_disjoint_and_together_the_whole(whole: list[Result], tmp_path: Path) -> None:
    found = pieces(REQUESTS, tmp_path)
    shares = [share_of(found, (index, 3)) for index in range(3)]
    assert sorted(p.path for share in shares for p in share) == sorted(p.path for p in found)
    for index in range(3):
        assert missing(REQUESTS, tmp_path) == sum(map(len, shares[index:]))
        run(tmp_path, shard=(index, 3))
    assert rows(tmp_path) == whole


def test_a_grid_stopped_at_random_moments_ends_the_same(
    whole: list[Result], tmp_path: Path
) -> None:
    rng = random.Random(0)
    total = len(pieces(REQUESTS, tmp_path))
    while missing(REQUESTS, tmp_path):
        steps = play(make_env, REQUESTS, tmp_path, here)
        for _ in range(rng.randint(1, total // 4)):
            next(steps, None)
        steps.close()
    assert rows(tmp_path) == whole


def test_what_is_there_is_not_played_again(tmp_path: Path) -> None:
    run(tmp_path)

    def nobody(_: object, jobs: Sequence[Job]) -> Iterator[list[Result]]:
        raise AssertionError(f"{len(jobs)} pieces were given out again")

    steps = list(play(make_env, REQUESTS, tmp_path, nobody))
    assert [(step.done, step.total) for step in steps] == [(32, 32)]


def test_two_studies_share_what_they_have_in_common(tmp_path: Path) -> None:
    twin = REQUESTS[0].model_copy(update={"study": "noise", "value": "0"})
    assert len(pieces([REQUESTS[0], twin], tmp_path)) == len(pieces([twin], tmp_path))


@pytest.mark.parametrize(
    "change",
    [
        {"rules": RULES.model_copy(update={"noise": 1.0})},
        {"rules": RULES.model_copy(update={"cap_factor": 8})},
        {"method": RandomMethod(name="random", checkpoint=Checkpoint("another"))},
        {"method": Slow(name="random", pace=1)},
        {"batch": 3},
    ],
)
def test_a_key_changes_with_whatever_bears_on_a_result(change: dict[str, object]) -> None:
    assert REQUESTS[0].model_copy(update=change).key != REQUESTS[0].key


def test_a_key_does_not_change_with_labels() -> None:
    renamed = {"study": "other", "label": "chance", "value": "3"}
    assert REQUESTS[0].model_copy(update=renamed).key == REQUESTS[0].key


def test_a_damaged_or_short_piece_is_refused_by_name(tmp_path: Path) -> None:
    run(tmp_path)
    piece = pieces(REQUESTS, tmp_path)[0]
    text = piece.path.read_text()
    piece.path.write_text(text.splitlines()[0] + "\n")
    with pytest.raises(DataError, match="lacks episodes"):
        read_piece(piece)
    piece.path.write_text(text.replace('"steps": ', '"steps": 1'))
    with pytest.raises(DataError, match="line 1: damaged"):
        read_piece(piece)


def test_saved_results_are_read_back(whole: list[Result], tmp_path: Path) -> None:
    save_results(tmp_path / "r.jsonl", whole)
    assert read_results(tmp_path / "r.jsonl") == whole


def test_a_piece_of_other_work_is_refused_by_name(tmp_path: Path) -> None:
    run(tmp_path)
    found = pieces(REQUESTS, tmp_path)
    other = next(p for p in found if p.request.key != found[0].request.key)
    same = next(
        p for p in found if p.request == other.request and p.cell.episodes == found[0].cell.episodes
    )
    found[0].path.write_bytes(same.path.read_bytes())
    with pytest.raises(DataError, match=r"holds rows of another \w+ than"):
        read_piece(found[0])
