"""ncs import: turn your own pictures and moves into a buffer."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import tyro
from pydantic import Field

from ncs.cli.command import Command
from ncs.records import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ncs.cli.console import Advance
    from ncs.data.buffer import Buffer
    from ncs.data.importing.clip import LeftOut, RawClip, Tally

LEAST_PLAIN = 0.3  # share of moves that must be seen where they say
NAMED = 5  # clips left out that are named


class Import(Command):
    """Make a buffer of what a camera saw and a robot, or a hand, did. No world has to be named.

    SOURCE is a folder of clips (clip-0001/000.png ... with actions.csv: pick_x_cm, pick_y_cm,
    place_x_cm, place_y_cm, and z if it matters, one line a move), one .npz or .safetensors with
    arrays frame (N, T, H, W, 3) and action (N, T - 1, 6: the pick, then by how much the thing
    moved), a Minari dataset or a LeRobot v3 dataset. PNG, JPEG or WebP, 8 or 16 bits, any size.

    It says what it took, what it left out and why, and in how many moves the picture changes where
    the action says; calibration.png in the buffer shows it. Nothing is left behind on failure.
    """

    source: tyro.conf.Positional[Path] = Field(description="a folder or a file")
    out: Path = Field(description="folder for the buffer; new or empty")
    name: str = Field(
        "own", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$", description="what to call the world"
    )
    unit: str | None = Field(
        None, description="of the actions: m, cm, mm or in (default: as a header says, else m)"
    )
    longest: int = Field(
        128, ge=32, le=512, description="pixels of the longer side; larger pictures are reduced"
    )
    picture: str = Field("observation.image", description="LeRobot's column of pictures")
    action: str = Field("action", description="LeRobot's column of actions")
    unchecked: bool = Field(False, description="keep it though pictures do not change as they say")

    def run(self) -> None:
        """Imports, checks and reports."""
        from ncs.cli.console import progress, report
        from ncs.data.buffer import open_buffer
        from ncs.data.importing.clip import Tally
        from ncs.data.importing.lerobot import Columns
        from ncs.data.importing.source import open_source
        from ncs.data.importing.units import metres_of
        from ncs.data.write import write_clips

        source = open_source(self.source, Columns(self.picture, self.action), self.longest)
        unit = source.unit or self.unit or "m"
        if source.unit and self.unit and self.unit != source.unit:
            raise DataError(f"unit: {self.source} names {source.unit} itself, not {self.unit}")
        scale = 1.0 if source.unit else metres_of(unit)  # a header's unit is converted already
        tally = Tally()
        with progress("importing", source.total, "clips") as advance:
            clips = self._prepared(source.clips, scale, advance)
            about = {"world": self.name, "unit": unit, "source": source.kind}
            try:
                write_clips(self.out, clips, about, tally)
            except DataError as error:
                raise DataError(_named(self.source, error)) from None
        buffer = open_buffer(self.out)
        facts = self._facts(buffer, tally)
        report(self._line(facts), facts, self.as_json)

    def _prepared(
        self, clips: "Iterator[RawClip | LeftOut]", scale: float, advance: "Advance"
    ) -> "Iterator[RawClip | LeftOut]":
        """Clips in metres and no larger than asked for."""
        from ncs.data.importing.clip import RawClip
        from ncs.data.importing.pictures import reduce_frames

        for done, clip in enumerate(clips, 1):
            if isinstance(clip, RawClip):
                frame = reduce_frames(clip.frame, self.longest)
                action = (clip.action.astype(np.float64) * scale).astype(np.float32)
                yield RawClip(clip.name, frame, action)
            else:
                yield clip
            advance(done)

    def _facts(self, buffer: "Buffer", tally: "Tally") -> dict[str, Any]:
        """What was taken, and how well actions and pictures fit."""
        from ncs.analysis.pictures import save_png
        from ncs.health.calibration import check_calibration

        try:
            fit = check_calibration(buffer)
            if fit.plain < LEAST_PLAIN:
                raise DataError(
                    f"only {fit.plain:.0%} of moves change the picture where their action says"
                )
        except DataError as error:
            if not self.unchecked:
                shutil.rmtree(self.out)
                raise DataError(
                    f"{self.source}: {str(error).removeprefix('buffer: ')}; check the columns, "
                    "their order and the unit (--unchecked keeps it)"
                ) from None
            fit = None
        if fit:
            save_png(self.out / "calibration.png", fit.sheet)
        height, width = buffer.clips(np.array([0])).frame.shape[2:4]
        return {
            "out": str(self.out),
            "clips": len(buffer),
            "frames": int(buffer.manifest["frames"]),
            "taken": tally.taken,
            "width": width,
            "height": height,
            "unit": buffer.manifest["unit"],
            "arena": buffer.manifest["arena"],
            "moves_seen": round(fit.plain, 4) if fit else None,
            "miss_pixels": round(fit.miss, 3) if fit else None,
            "left_out": [{"clip": one.name, "why": one.why} for one in tally.left_out],
            "buffer": buffer.hash,
        }

    def _line(self, facts: dict[str, Any]) -> str:
        """The same for people."""
        low, high = facts["arena"]["low"], facts["arena"]["high"]
        lines = [
            f"{facts['out']}: {facts['clips']} clips of {facts['frames']} pictures, "
            f"{facts['width']} x {facts['height']} pixels (buffer {facts['buffer']})",
            f"actions given in {facts['unit']}; in metres x {low[0]:.3g} to {high[0]:.3g}, "
            f"y {low[1]:.3g} to {high[1]:.3g}, z {low[2]:.3g} to {high[2]:.3g}",
        ]
        if facts["moves_seen"] is not None:
            lines.append(
                f"{facts['moves_seen']:.0%} of moves change the picture where they pick and place, "
                f"{facts['miss_pixels']:.2g} pixels off ({facts['out']}/calibration.png)"
            )
        left = facts["left_out"]
        lines += [f"left out {one['clip']}: {one['why']}" for one in left[:NAMED]]
        lines += [f"and {len(left) - NAMED} more left out"] if len(left) > NAMED else []
        return "\n".join(lines)


def _named(source: Path, error: DataError) -> str:
    """A complaint that names where it comes from."""
    line = str(error)
    return f"{source}: {line}" if line.startswith("no clip") else line
