"""ncs inspect says what a path holds, a rival's policy among it."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from ncs.agent import shipped_model
from ncs.cli.main import main


def test_a_rival_that_ships_is_inspected_by_its_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(shipped_model("rivals/blocks-bc-0"), tmp_path / "bc")
    assert main(["inspect", str(tmp_path / "bc"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["method"]) == ("policy", "bc")
    assert facts["world"] == "block-rearrange"
    assert sum(facts["parameters"].values()) > 0


def test_a_damaged_policy_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(shipped_model("rivals/blocks-bc-0"), tmp_path / "bc")
    path = tmp_path / "bc" / "policy.safetensors"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert main(["inspect", str(tmp_path / "bc")]) == 2
    assert "policy.safetensors: damaged" in capsys.readouterr().err


def test_a_missing_package_of_a_world_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    monkeypatch.delitem(sys.modules, "ncs.envs.tabletop.scene", raising=False)
    monkeypatch.delitem(sys.modules, "ncs.envs.tabletop.contact_sheet", raising=False)
    assert main(["inspect", "meshes"]) == 2
    assert "needs the package mujoco: pip install 'ncs[" in capsys.readouterr().err
