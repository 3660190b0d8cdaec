"""Feeds a reader bytes that atheris invents, for as long as it is told to.

    pip install atheris                             # for this alone; it is no part of the package
    python -m benchmarks.fuzz graph --minutes 10
    python -m benchmarks.fuzz all --minutes 10      # one reader after another
    python -m benchmarks.fuzz all --minutes 2 --corpus FOLDER    # goes on from what was found

Starts from good files, with checksums that the inputs are given anew, so that what lies behind
them is reached too. Files are kept in memory where the system allows it: five to fifteen times as
many inputs a minute as on a disk. Any exception but a refusal, more than two seconds for one
input, or more than 500 MB is a finding, and ends the run with exit code 1.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["ncs"]):
    from benchmarks.hostile.good import KINDS

    from ncs.bounded import parse_json
    from ncs.records import NcsError
    from ncs.storage import digest

LONGEST, MOST_MB, MOST_LETTERS = 2, 500, 1000
MEMORY = Path("/dev/shm")
FILES = {
    "buffer": "manifest.json", "model": "model.json", "graph": "g.safetensors",
    "sets": "s.safetensors", "results": "r.jsonl", "index": "index.json", "config": "c.toml",
    "picture": "p.png", "arrays": "a.npz",
}  # fmt: skip


def sealed(path: Path, data: bytes) -> bytes:
    """Bytes with a checksum to match, where they are JSON of ours; else as they are."""
    if path.suffix not in (".json", ".jsonl"):
        return data
    try:
        value = parse_json(data, "input")
        name, length = ("checksum", 64) if path.suffix == ".json" else ("check", 12)
        value.pop(name, None)
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
        value[name] = digest(text.encode())[:length]
        return json.dumps(value).encode() + b"\n"
    except (NcsError, ValueError, TypeError, AttributeError):
        return data


def target(kind: str, folder: Path) -> Callable[[bytes], None]:
    """A function that puts bytes in a file's place and reads the whole."""
    make, read = KINDS[kind]
    home = folder / kind
    make(home)
    path = home / FILES[kind]
    count = 0

    def one_input(data: bytes) -> None:
        nonlocal count
        count += 1
        path.write_bytes(sealed(path, data) if count % 2 else data)
        began = time.process_time()  # others may use the cores; libFuzzer minds the wall's clock
        try:
            read(home)
        except NcsError as error:
            if len(str(error).splitlines()) != 1 or len(str(error)) > MOST_LETTERS:
                raise RuntimeError(f"a refusal of more than a line: {error}") from error
        if time.process_time() - began > LONGEST:
            raise RuntimeError(f"over {LONGEST} s")

    return one_input


def fuzz(kind: str, seconds: float, corpora: Path | None) -> None:
    """Runs atheris on one reader; it ends the process itself."""
    folder = Path(tempfile.mkdtemp(prefix="ncs-fuzz-", dir=MEMORY if MEMORY.is_dir() else None))
    one_input = target(kind, folder)
    corpus = (corpora or folder / "corpora") / kind
    corpus.mkdir(parents=True, exist_ok=True)
    (corpus / "good").write_bytes((folder / kind / FILES[kind]).read_bytes())
    limits = [f"-max_total_time={seconds:.0f}", f"-rss_limit_mb={MOST_MB + 600}"]
    options = ["-timeout=20", "-max_len=20000", "-print_final_stats=1", "-verbosity=0"]
    atheris.Setup([sys.argv[0], str(corpus), *limits, *options], one_input)
    atheris.Fuzz()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=[*FILES, "all"])
    parser.add_argument("--minutes", type=float, default=10.0, help="for each reader")
    parser.add_argument("--corpus", type=Path, help="a folder where inputs of interest are kept")
    asked = parser.parse_args()
    if asked.kind != "all":
        fuzz(asked.kind, 60 * asked.minutes, asked.corpus)
        return 0
    found = 0
    for kind in FILES:
        words = [sys.executable, "-m", "benchmarks.fuzz", kind, "--minutes", str(asked.minutes)]
        words += ["--corpus", str(asked.corpus)] if asked.corpus else []
        out = subprocess.run(words, capture_output=True, text=True)
        stats = dict(line.rsplit(":", 1) for line in out.stderr.splitlines() if "stat::" in line)
        units = next((v.strip() for k, v in stats.items() if "number_of_executed" in k), "?")
        print(f"{kind}: {units} inputs, {'no finding' if not out.returncode else 'A FINDING'}")
        if out.returncode:
            found += 1
            print((out.stdout + out.stderr)[-2000:], flush=True)
    print(f"fuzz: {found} findings in {len(FILES)} readers, {asked.minutes:g} minutes each")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
