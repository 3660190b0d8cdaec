"""ncs calibrate: use a trained model in a new world, from a few of its moves."""

from pathlib import Path

from pydantic import Field

from ncs.cli.command import Command


class Calibrate(Command):
    """Make a trained model one of another world, style or camera, without training it.

    Some fifty moves tell where a world point is seen, how large and how near things are, how many
    votes make one, and what its graph is; the network stays as it is. The outcome is a model like
    any other, its graph in it. Where the eyes do not know the things at hand that is said, and
    training is the way. Of a model that was trained on several buffers, each one's own measures
    are taken.
    """

    model: Path = Field(description="a folder made by 'ncs train'")
    buffer: Path = Field(description="clips of the world it is to be used in")
    out: Path = Field(description="folder for the calibrated model")
    moves: int | None = Field(
        None, ge=8, description="use only the first so many moves (default: all)"
    )
    seed: int = Field(0, ge=0, description="of the graph's clustering")

    def run(self) -> None:
        """Fits, writes, builds the graph and reports."""
        from ncs.agent.build_graph import GraphBuilder, install
        from ncs.cli.console import progress, report
        from ncs.data.buffer import open_buffer
        from ncs.training.calibrated import calibrate

        buffer = open_buffer(self.buffer)
        done = calibrate(self.model, buffer, self.out, self.moves)
        builder = GraphBuilder(self.out, buffer, self.seed)
        plan = builder.plan("best", None if done.seen is None else done.clips)
        with progress("looking", plan.clips, "clips") as advance:
            built = builder.build(plan, with_sets=True, advance=advance)
        install(built, self.out)
        numbers = measured(builder.trained.model)
        facts = {
            "out": str(self.out),
            "checkpoint": done.checkpoint,
            "clips": done.clips,
            "moves": done.moves,
            "things_seen": done.seen,
            "nodes": len(built.graph.node),
            "measured": numbers,
        }
        if done.seen is None:
            what = "as it was trained there"
        else:
            what = f"from {done.moves} moves, of whose things it sees {done.seen:.3f}"
        lines = [f"measured {value:.4g} {name}" for name, value in numbers.items()]
        lines.append(f"{self.out}: calibrated {what}; its graph has {facts['nodes']} nodes")
        report("\n".join(lines), facts, self.as_json)


def measured(model: object) -> dict[str, float]:
    """What a model says it measured."""
    from ncs.training.preparation import Measuring

    return model.measured() if isinstance(model, Measuring) else {}
