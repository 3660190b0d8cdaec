"""Models, graphs and pictures are found by name, and made by the commands that are told."""

from pathlib import Path

import pytest
from tests.web.conftest import FEW_CLIPS, FOLDER

from ncs.cli.main import main
from ncs.graph.store import graph_hash, load_graph
from ncs.records import DataError
from ncs.web.catalogue import Catalogue, Folders, build_graph, find_folders, pictures


def test_a_clones_models_results_and_figures_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER.parents[1])
    folders = find_folders((), None, tmp_path)
    assert Path("checkpoints") / FOLDER.name in folders.models
    assert folders.results is not None
    assert any(path.name == "docs" for path in folders.figures)
    assert {model["world"] for model in Catalogue(folders).models} >= {"block-rearrange"}


def test_models_named_by_hand_come_first_and_once(tmp_path: Path) -> None:
    other = tmp_path / "mine"
    other.symlink_to(FOLDER)
    folders = find_folders((other, other), None, tmp_path)
    assert folders.models[0] == other
    assert folders.models.count(other) == 1


def test_a_folder_without_a_graph_is_no_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncs.web.catalogue.has_checkpoint", lambda _: False)
    with pytest.raises(DataError, match="no trained model with a graph is here"):
        find_folders((), None, tmp_path)


def test_what_is_named_and_of_no_use_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=f"{tmp_path}: holds no trained model with a graph"):
        find_folders((tmp_path,), None, tmp_path)
    with pytest.raises(DataError, match=f"{tmp_path}/gone: there is no such folder of results"):
        find_folders((), tmp_path / "gone", tmp_path)


def test_a_graph_of_so_many_nodes_is_the_one_its_commands_make(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncs.web.catalogue.CLIPS", FEW_CLIPS)
    catalogue = Catalogue(Folders((FOLDER,), None, (), tmp_path))
    path = catalogue.graph_file(FOLDER.name, "best", 5)
    build_graph(catalogue.builder(FOLDER.name, "best"), "best", 5, path)
    trained = catalogue.trained(FOLDER.name, "best", 5)
    assert len(trained.graph.node) == 5
    assert trained.checkpoint != catalogue.trained(FOLDER.name, "best").checkpoint
    ours = graph_hash(load_graph(path, trained.graph.checkpoint))
    path.unlink()
    for command in catalogue.graph_commands(FOLDER.name, "best", 5):
        assert main(command.split()[1:]) == 0
    assert graph_hash(load_graph(path, trained.graph.checkpoint)) == ours


def test_a_damaged_model_is_named_and_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "model.json").write_text("{}")
    catalogue = Catalogue(Folders((tmp_path / "bad", FOLDER), None, (), tmp_path))
    good, bad = catalogue.models
    assert "has no checksum" in bad["error"]
    assert good["presets"] == ["best", "paper"]


def test_only_so_many_models_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncs.web.catalogue.MOST_LOADED", 1)
    catalogue = Catalogue(Folders((FOLDER,), None, (), tmp_path))
    first = catalogue.trained(FOLDER.name, "best")
    assert catalogue.trained(FOLDER.name, "best") is first
    catalogue.trained(FOLDER.name, "paper")
    assert catalogue.trained(FOLDER.name, "best") is not first


def test_pictures_of_the_same_name_keep_to_the_first_folder(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder / "deep").mkdir(parents=True)
        (tmp_path / folder / "deep" / "a.png").write_text(folder)
    folders = Folders((FOLDER,), None, (tmp_path / "one", tmp_path / "two"), tmp_path)
    found = pictures(folders)
    assert list(found) == ["deep--a.png"]
    assert found["deep--a.png"].read_text() == "one"
