"""Rows say which code made them."""

import subprocess
from pathlib import Path

import pytest

import ncs
from ncs.evaluation import code


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of one file, in no checkout yet."""
    folder = tmp_path / "src" / "ncs"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    monkeypatch.setattr(ncs, "__file__", str(folder / "__init__.py"))
    code.commit.cache_clear()
    yield folder
    code.commit.cache_clear()


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


def test_it_is_the_version_where_there_is_no_checkout(package: Path) -> None:
    assert code.commit() == ncs.__version__


def test_a_checkout_around_the_package_that_does_not_hold_it_is_none(package: Path) -> None:
    git(package, "init")
    assert code.commit() == ncs.__version__


def test_a_change_is_marked_but_only_one_of_the_package(package: Path) -> None:
    git(package, "init")
    git(package, "add", "__init__.py")
    git(package, "commit", "-m", "x")
    (package.parent / "notes").write_text("beside the package")
    clean = code.commit()
    assert len(clean) == code.DIGITS
    (package / "__init__.py").write_text("changed")
    code.commit.cache_clear()
    assert code.commit() == f"{clean}-dirty"
