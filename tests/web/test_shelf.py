"""Models, graphs and pictures are found by name, and made by the commands that are told."""

from pathlib import Path

import pytest
from tests.web.conftest import FEW_CLIPS, FOLDER

from ncs.agent import graph_hash
from ncs.cli.main import main
from ncs.graph.store import load_graph
from ncs.records import DataError
from ncs.web.shelf import Places, Shelf, find_places, max_objects, pictures


def test_a_clones_models_results_and_figures_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER.parents[1])
    places = find_places((), None, tmp_path)
    assert Path("checkpoints") / FOLDER.name in places.models
    assert places.results is not None
    assert any(path.name == "docs" for path in places.figures)
    assert {model["world"] for model in Shelf(places).models} >= {"block-rearrange"}


def test_models_named_by_hand_come_first_and_once(tmp_path: Path) -> None:
    other = tmp_path / "mine"
    other.symlink_to(FOLDER)
    places = find_places((other, other), None, tmp_path)
    assert places.models[0] == other
    assert places.models.count(other) == 1


def test_a_folder_without_a_graph_is_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncs.web.shelf.has_checkpoint", lambda _: False)
    with pytest.raises(DataError, match="no trained model with a graph is here"):
        find_places((tmp_path,), None, tmp_path)


def test_a_graph_of_so_many_nodes_is_the_one_its_commands_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncs.web.shelf.CLIPS", FEW_CLIPS)
    shelf = Shelf(Places((FOLDER,), None, (), tmp_path))
    mind = shelf.mind_with(FOLDER.name, "best", 5)
    assert len(mind.graph.node) == 5
    assert mind.checkpoint != shelf.mind(FOLDER.name, "best").checkpoint
    path = shelf.graph_file(FOLDER.name, "best", 5)
    ours = graph_hash(load_graph(path, mind.graph.checkpoint))
    path.unlink()
    for command in shelf.graph_commands(FOLDER.name, "best", 5):
        assert main(command.split()[1:]) == 0
    assert graph_hash(load_graph(path, mind.graph.checkpoint)) == ours


def test_a_damaged_model_is_named_and_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "model.json").write_text("{}")
    shelf = Shelf(Places((tmp_path / "bad", FOLDER), None, (), tmp_path))
    bad, good = shelf.models
    assert "has no checksum" in bad["error"]
    assert good["presets"] == ["best", "paper"]


def test_only_so_many_minds_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncs.web.shelf.MOST_MINDS", 1)
    shelf = Shelf(Places((FOLDER,), None, (), tmp_path))
    first = shelf.mind(FOLDER.name, "best")
    assert shelf.mind(FOLDER.name, "best") is first
    shelf.mind(FOLDER.name, "paper")
    assert shelf.mind(FOLDER.name, "best") is not first


def test_pictures_of_the_same_name_keep_to_the_first_folder(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder / "deep").mkdir(parents=True)
        (tmp_path / folder / "deep" / "a.png").write_text(folder)
    places = Places((FOLDER,), None, (tmp_path / "one", tmp_path / "two"), tmp_path)
    found = pictures(places)
    assert list(found) == ["deep--a.png"]
    assert found["deep--a.png"].read_text() == "one"


def test_a_world_says_how_many_objects_it_holds() -> None:
    assert max_objects("block-rearrange") == 12
    assert max_objects("robogym-rearrange") == 8
