"""The doctor's lines, exit codes and JSON."""

import json
import shutil
from pathlib import Path

from tests.conftest import REPOSITORY, ncs

TEMPLATE = REPOSITORY / "examples" / "world_template" / "tray_world.py"


def test_a_world_that_is_not_installed_is_checked_where_it_is(tmp_path: Path) -> None:
    shutil.copy(TEMPLATE, tmp_path)
    out = ncs("doctor", "world", "tray_world:TRAY", cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    *lines, verdict = out.stdout.splitlines()
    assert len(lines) == 11
    assert all(line.startswith("ok ") for line in lines)
    assert verdict == "tray_world:TRAY: all is well"


def test_towers_keep_the_promises_of_a_world() -> None:
    out = ncs("doctor", "world", "block-stacking")
    assert out.returncode == 0, out.stdout
    assert out.stdout.endswith("block-stacking: all is well\n")


def test_what_is_missing_gives_exit_code_1_and_its_line(tmp_path: Path) -> None:
    text = TEMPLATE.read_text()
    (tmp_path / "tray_world.py").write_text(text.replace("scene, n_goals)", "scene, n_goals + 1)"))
    out = ncs("doctor", "world", "tray_world:TRAY", "--json", cwd=tmp_path)
    assert out.returncode == 1, out.stderr
    facts = json.loads(out.stdout)
    (failed,) = (check for check in facts["checks"] if not check["ok"])
    assert failed["name"] == "oracle"
    assert failed["line"] == "oracle_action takes 4 moves where minimum_moves says 5"


def test_a_world_that_nobody_knows_is_one_line(tmp_path: Path) -> None:
    out = ncs("doctor", "world", "nowhere", cwd=tmp_path)
    assert (out.returncode, out.stderr.count("\n")) == (2, 1)
    assert "there is no 'nowhere'" in out.stderr
