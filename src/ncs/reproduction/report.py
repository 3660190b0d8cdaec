"""The report of a run, from what the run left on the disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ncs import __version__
from ncs.analysis.document import Block, Image, Section, Words, as_html, as_markdown, pictures
from ncs.analysis.figures import as_png
from ncs.analysis.node_map import draw_nodes, lay_out
from ncs.analysis.points import about, load_points
from ncs.analysis.sections import facts_section, result_sections
from ncs.reproduction.artefacts import Kit, keyed
from ncs.reproduction.graphs import states_beside
from ncs.reproduction.scales import Scale
from ncs.storage import read_arrays, write_bytes

TITLE = "Neural Constraint Satisfaction, reproduced"
SOLVED_OBJECTS = 4
SOLVED_SEED = 4


def describe_run(scale: Scale, kits: Sequence[Kit], given: bool) -> dict[str, Any]:
    """Settings and hashes of a run: nothing that changes from one run of it to the next.

    ``given`` says that models came from a folder; what would have trained them is then left out.
    """
    from ncs.baselines.rival import load_policy
    from ncs.data.buffer import open_buffer
    from ncs.training.checkpoint import checkpoint_hash

    facts: dict[str, Any] = {"version": __version__}
    trained = {"preset", "steps", "rival_steps", "rival_batch"} if given else set()
    settings = scale.model_dump(mode="json", exclude=trained)
    facts |= {name: value for name, value in settings.items() if value != []}
    facts |= {"models": "given, where their folder had one, with their graphs"} if given else {}
    for kit in kits:
        if kit.buffer is not None:
            facts[f"buffer of {kit.world}"] = open_buffer(kit.buffer, verify=False).hash
        if kit.model is not None:
            facts[f"model of {kit.world}"] = checkpoint_hash(kit.model)
        if kit.dslate is not None:
            facts[f"dSLATE of {kit.world}"] = checkpoint_hash(kit.dslate)
        for name, folder in kit.rivals.items():
            facts[f"{name} of {kit.world}"] = load_policy(folder).checkpoint
    return facts


def draw_solutions(kits: Sequence[Kit], folder: Path) -> dict[str, Path]:
    """A strip of one solved task for each world, drawn unless it is there."""
    from ncs.agent import Mind
    from ncs.cli.solve import Solve

    strips = {}
    for kit in kits:
        if kit.model is None:
            continue
        mind = Mind.load(kit.model)
        out = folder / keyed(kit.world, mind.checkpoint, SOLVED_OBJECTS, SOLVED_SEED)
        if not (out / "trace.json").exists():  # the last that is written
            Solve(
                world=kit.world,
                model=kit.model,
                objects=SOLVED_OBJECTS,
                seed=SOLVED_SEED,
                out=out,
            ).run()
        strips[kit.world] = out / "strip.png"
    return strips


def write_report(out: Path, kits: Sequence[Kit], strips: dict[str, Path]) -> None:
    """Writes report.html, report.md and the figures, from the results and arrays of a run."""
    points = load_points(out / "results")
    sections = [
        facts_section(about(out / "results")),
        *result_sections(points),
        *seen_sections(kits, strips),
    ]
    for picture in pictures(sections):
        write_bytes(out / "figures" / picture.name, picture.png)
    write_bytes(out / "report.md", as_markdown(TITLE, sections, "figures").encode())
    write_bytes(out / "report.html", as_html(TITLE, sections).encode())


def seen_sections(kits: Sequence[Kit], strips: dict[str, Path]) -> list[Section]:
    """The figures of nodes and of planning, for each world that has a model."""
    nodes: list[Block] = []
    plans: list[Block] = []
    for kit in kits:
        if kit.model is None:
            continue
        nodes.append(node_image(kit))
        caption = (
            f"{kit.world}, a fresh task of {SOLVED_OBJECTS} objects: matched slots have one colour "
            "in scene and goal (align), the chosen one is bold (select), and the two nodes with "
            "their edge are those it is bound to (bind); the arrow is the action."
        )
        plans.append(Image(f"planning-{kit.world}.png", strips[kit.world].read_bytes(), caption))
    if not nodes:
        return []
    words = "What the graph is made of: multiple nodes may stand for one place, as in the paper."
    return [
        Section("nodes", "Nodes of the graph", (Words(words), *nodes)),
        Section("planning", "Align, select, bind", tuple(plans)),
    ]


def node_image(kit: Kit) -> Image:
    """The t-SNE of a world's states, by nodes of the paper's graph."""
    arrays, _ = read_arrays(states_beside(kit.graphs["paper"]))
    graph, label = read_arrays(kit.graphs["paper"])
    figure = draw_nodes(lay_out(arrays["state"]), arrays["node"], graph["mask"])
    kind = "masks" if label["graph"]["representation"] == "alpha" else "states"
    caption = (
        f"{kit.world}: t-SNE of the {kind} of {len(arrays['state'])} moved entities of the buffer, "
        f"coloured and numbered by their node among {len(graph['node'])} (the paper's settings, "
        "graph built in this run)."
    )
    return Image(f"nodes-{kit.world}.png", as_png(figure), caption)
