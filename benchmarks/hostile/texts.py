"""Files of text, spoiled: results, their index, and settings."""

# ruff: noqa: E501 - a case is a line

import gzip

from benchmarks.hostile.good import GOOD_LINE, ROW, row
from benchmarks.hostile.spoil import (
    NOTHING,
    Case,
    index,
    linked,
    packed,
    piped,
    rows,
    written,
)  # fmt: skip

from ncs.evaluation.results import encode
from ncs.storage import write_json

RESULTS = [
    Case("as it should be", NOTHING),
    Case("packed", packed(lambda: gzip.compress((encode(ROW) + "\n").encode()))),
    Case("half a line at the end", rows(encode(ROW) + "\n" + encode(ROW)[:50])),
    Case("a score of NaN", rows(row(best=float("nan")))),
    Case("a score of 1e308", rows(row(best=1e308))),
    Case("a score of 5", rows(row(final=5))),
    Case("a score of true", rows(row(best=True))),
    Case("a score in words", rows(row(best="1.0"))),
    Case("a score that is a list", rows(row(best=[1]))),
    Case("an infinite time", rows(row(seconds=float("inf")))),
    Case("a seed below zero", rows(row(seed=-1))),
    Case("a seed of 5000 digits", rows('{"seed": ' + "9" * 5000 + "}\n")),
    Case("half an object", rows(row(objects=0.5))),
    Case("a method of escape codes", rows(row(method="\x1b[31mncs"))),
    Case("a label that turns around", rows(row(label="\u202escn"))),
    Case("a method of a million letters", rows(row(method="x" * 10**6))),
    Case("two rows run into one", rows(row().replace("}", ", ", 1)[: -len("\n")] + row()[1:])),
    Case("a name twice", rows('{"method": "x", ' + row()[1:])),
    Case("a column more", rows(row(extra=1))),
    Case("settings are a list", rows(row(settings=[1]))),
    Case("settings of 200 000 levels", rows(row(settings=0).replace('"settings": 0', '"settings": ' + "[" * 200_000 + "]" * 200_000))),
    Case("settings of 500 levels", rows(row(settings=0).replace('"settings": 0', '"settings": ' + "[" * 500 + "]" * 500))),
    Case("a checkpoint that is a number", rows(row(checkpoint=5))),
    Case("a list", rows("[1, 2]\n")),
    Case("a number", rows("5\n")),
    Case("no line ends in 2 MB", rows('{"method": "' + "x" * (2 << 20))),
    Case("an empty line", rows(encode(ROW) + "\n\n")),
    Case("bytes that are no text", written("r.jsonl", b"\xff\xfe\n")),
    Case("the same episode twice", rows(2 * (encode(ROW) + "\n"))),
    Case("a bomb of spaces", packed(lambda: gzip.compress(b" " * (200 << 20), 9))),
    Case("a bomb of line ends", packed(lambda: gzip.compress(b"\n" * (200 << 20), 9))),
    Case("packed and cut off", packed(lambda: gzip.compress((encode(ROW) + "\n").encode())[:-9])),
    Case("packed with more behind", packed(lambda: gzip.compress((encode(ROW) + "\n").encode()) + b"x")),
    Case("packed and not", packed(lambda: b"plain text")),
    Case("is a pipe", piped("r.jsonl")),
    Case("is /dev/zero", linked("r.jsonl", "/dev/zero")),
    Case("is a folder", lambda folder: (folder / "r.jsonl").unlink() or (folder / "r.jsonl").mkdir()),
]  # fmt: skip
INDEX = [
    Case("as it should be", NOTHING),
    Case("a study outside", index({**GOOD_LINE, "study": "../../x"})),
    Case("a study of nothing", index({**GOOD_LINE, "study": ""})),
    Case("a study without results", index({**GOOD_LINE, "study": "other"})),
    Case("a line that is a list", index([1])),
    Case("a label of escape codes", index({**GOOD_LINE, "label": "\x1b[1m"})),
    Case("no lines", lambda folder: write_json(folder / "index.json", {"about": {}})),
    Case("20 000 lines", index(*[GOOD_LINE] * 20_000)),
]
CONFIG = [
    Case("as it should be", NOTHING),
    Case("3000 levels", written("c.toml", "x = " + "[" * 3000 + "]" * 3000)),
    Case("100 levels", written("c.toml", "files = " + "[" * 100 + "]" * 100)),
    Case("an integer of 5000 digits", written("c.toml", "format = " + "9" * 5000)),
    Case("2 MB", written("c.toml", "#" * (2 << 20))),
    Case("bytes that are no text", written("c.toml", b"\xff\xfe")),
    Case("not TOML", written("c.toml", "= =")),
    Case("code that it allows", written("c.toml", 'files = ["x"]\nallow = ["this:s"]')),
    Case("an unknown setting", written("c.toml", "colour = 1")),
    Case("a setting that breaks the line", written("c.toml", r'"co\r\u2028\u001b[1mlour" = 1')),
    Case("a setting of 10 000 letters", written("c.toml", f"{'x' * 10_000} = 1")),
    Case("is a pipe", piped("c.toml")),
    Case("is /dev/zero", linked("c.toml", "/dev/zero")),
]
