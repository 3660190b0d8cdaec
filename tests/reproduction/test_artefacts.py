"""What is made once is not made again, and given models are found."""

import multiprocessing
import time
from pathlib import Path

import pytest
from tests.conftest import REPOSITORY

from ncs.reproduction.artefacts import (
    WORLD_MODELS,
    Run,
    given_model,
    is_collected,
    keyed,
    make_dslate,
    make_once,
)
from ncs.reproduction.reporter import Quiet
from ncs.reproduction.scales import Scale

CHECKPOINTS = REPOSITORY / "checkpoints"


def test_a_name_changes_with_any_fact_and_with_nothing_else() -> None:
    names = [keyed("model", 1, "a"), keyed("model", 2, "a"), keyed("model", 1, "b")]
    assert len(set(names)) == 3
    assert names[0] == keyed("model", 1, "a")


def test_the_model_that_ships_is_taken_from_a_folder_of_several() -> None:
    found = given_model(CHECKPOINTS, "block-rearrange", WORLD_MODELS)
    assert found == CHECKPOINTS / "blocks-fast-0"
    assert given_model(CHECKPOINTS, "block-rearrange", ("nobody",)) is None


@pytest.mark.parametrize(
    ("kind", "name"), [("dslate", "blocks-cpu-0"), ("bc", "rivals/blocks-bc-0")]
)
def test_a_model_is_found_by_its_kind_and_rivals_in_their_own_folder(kind: str, name: str) -> None:
    assert given_model(CHECKPOINTS, "block-rearrange", (kind,)) == CHECKPOINTS / name


def test_a_given_dslate_is_taken_as_it_is(small_buffer: Path, tmp_path: Path) -> None:
    run = Run(Scale.named("laptop"), tmp_path, CHECKPOINTS)
    found = make_dslate(run, "block-rearrange", small_buffer)
    assert found == CHECKPOINTS / "blocks-cpu-0"
    assert not list(tmp_path.iterdir())


def test_a_buffer_is_there_only_when_whole(small_buffer: Path, tmp_path: Path) -> None:
    assert is_collected(small_buffer, 130)
    assert not is_collected(small_buffer, 131)
    assert not is_collected(tmp_path, 130)


def test_what_is_there_is_not_made_again(tmp_path: Path) -> None:
    def make() -> None:
        raise AssertionError("made again")

    make_once(tmp_path / "x", lambda: True, make, Quiet())
    with pytest.raises(AssertionError, match="made again"):
        make_once(tmp_path / "x", lambda: False, make, Quiet())


def make_slowly(path: Path) -> None:
    def make() -> None:
        time.sleep(0.3)
        with (path.parent / "made").open("a") as file:
            file.write("once\n")
        path.touch()

    make_once(path, path.exists, make, Quiet())


def test_of_several_processes_one_makes_it_and_the_others_wait(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=make_slowly, args=(tmp_path / "x",)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert (tmp_path / "made").read_text() == "once\n"
