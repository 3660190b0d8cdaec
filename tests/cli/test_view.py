"""ncs view from the command line."""

import json
import signal
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.conftest import PATIENCE, REPOSITORY, ncs_process

from ncs.cli.main import main


def test_it_serves_a_page_until_it_is_interrupted(tmp_path: Path) -> None:
    words = ["view", "--port", 0, "--no-browser", "--json", "--out", tmp_path]
    process = ncs_process(*words, cwd=REPOSITORY)
    try:
        assert process.stdout is not None
        facts = json.loads(process.stdout.readline())
        assert facts["url"].startswith("http://127.0.0.1:")
        with urllib.request.urlopen(facts["url"], timeout=PATIENCE) as page:
            assert b"<title>ncs view</title>" in page.read()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, err
        assert json.loads(out) == {"command": "view", "error": "stopped", "exit_code": 130}
        assert err == "ncs view: stopped\n"
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--host", "0.0.0.0"], "host: the viewer answers this machine alone"),
        (["--port", "70000"], "port"),
        (["--magic"], "magic"),
    ],
)
def test_bad_requests_are_one_line(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", "--no-browser", *words]) == 2
    err = capsys.readouterr().err
    assert complaint in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("package", ["uvicorn", "python_multipart"])
def test_a_missing_package_names_its_extra(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ours = ("ncs.web.serve", "ncs.web.server")
    for name in [n for n in sys.modules if n.partition(".")[0] == package or n in ours]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["view", "--no-browser"]) == 2
    assert f"needs the package {package}: pip install 'ncs[view]'" in capsys.readouterr().err
