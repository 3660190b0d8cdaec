"""ncs slots: say how well a model sees: the slot health report."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from ncs.cli.command import Command, Model

if TYPE_CHECKING:
    from ncs.health.report import Report


class Slots(Command):
    """Report on the slots of a trained model, from clips it has never seen.

    Says how many objects are found by exactly one slot, how well masks fit, how often isolate and
    align are right, whether types stay and states rest, and how slots share the image; each with
    what a bad value means and what to try. The clips are the held-out ones of the buffer, played
    again for their segmentations; for other numbers of objects they are played afresh. Of a buffer
    without ground truth only what needs none is told.
    """

    model: Model = Field(description="folder that 'ncs train' made")
    buffer: Path = Field(description="a buffer of the same world, best the one it was trained on")
    clips: int = Field(200, ge=1, le=100_000, description="how many clips for each number")
    objects: tuple[int, ...] = Field(
        (), description="numbers of objects, such as 4 7 (default: the buffer's)"
    )
    slots: int | None = Field(
        None, ge=1, le=64, description="slots (default: as many to spare as in training)"
    )
    preset: Literal["paper", "best"] = Field(
        "best", description="slots inferred as the paper does, or with all that a model adds"
    )
    out: Path | None = Field(None, description="folder for health.json and health.html")
    seed: int = Field(0, ge=0, lt=2**63, description="of slots' first values and fresh scenes")

    def run(self) -> None:
        """Looks at clips for each number of objects, and reports."""
        from ncs.agent.presets import sight
        from ncs.cli.console import progress, report
        from ncs.data.buffer import open_buffer
        from ncs.health.examiner import Examiner, Options
        from ncs.storage import write_bytes, write_json
        from ncs.training.checkpoint import checkpoint_hash, load_model

        buffer = open_buffer(self.buffer)
        model = load_model(self.model).seeing(sight(self.preset))
        options = Options(self.clips, self.slots, self.seed)
        examiner = Examiner(model, self.model, buffer, options, progress)
        reports, sheets = [], {}
        for n_objects in self.objects or (examiner.buffer_objects,):
            clips = examiner.clips(n_objects)
            reports.append(examiner.examine(clips, n_objects))
            if self.out is not None:
                sheets[reports[-1].title] = examiner.sheet(clips, n_objects)
        facts: dict[str, Any] = {
            "model": self.model.resolve().name,
            "checkpoint": checkpoint_hash(self.model),
            "buffer": buffer.hash,
            "preset": self.preset,
            "reports": [one.to_json() for one in reports],
        }
        lines = [text_of(one) for one in reports]
        if self.out is not None:
            from ncs.health.page import health_page

            title = f"Slot health of {facts['model']} ({facts['checkpoint']})"
            page = health_page(title, reports, sheets)
            write_json(self.out / "health.json", facts)
            write_bytes(self.out / "health.html", page.encode())
            lines.append(f"{self.out}: health.json and health.html, with pictures")
        report("\n\n".join(lines), facts, self.as_json)


def text_of(report: "Report") -> str:
    """A report as lines of text."""
    from ncs.health.guides import GUIDES

    lines = [report.title]
    for name, value in report.figures.items():
        guide = GUIDES[name]
        bound = f"{'>=' if guide.higher else '<='} {guide.good:g}"
        shown = "  none" if math.isnan(value) else f"{value:6.3f}"
        lines.append(f"  {shown}  ({bound})  {guide.title}")
        if not report.healthy(name):
            lines.append(f"          {guide.bad} Try: {guide.remedy}")
    shares = " ".join(f"{share:.2f}" for share in report.share)
    spreads = " ".join(f"{entropy:.2f}" for entropy in report.entropy)
    lines.append(f"  share of the image, slot by slot: {shares}; spread of masks: {spreads}")
    if report.lookalikes is not None:
        lines.append(f"  objects with a look-alike: {report.lookalikes:.3f}")
    return "\n".join(lines)
