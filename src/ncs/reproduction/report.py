"""The report of a run, from what the run left on the disk."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncs import __version__
from ncs.analysis.document import Block, Image, Section, Words, as_html, as_markdown, pictures
from ncs.analysis.figures import as_png
from ncs.analysis.node_map import draw_nodes, lay_out
from ncs.analysis.points import about, load_points
from ncs.analysis.sections import facts_section, result_sections
from ncs.reproduction.artefacts import Artefacts, keyed
from ncs.reproduction.graphs import states_beside
from ncs.reproduction.scales import Scale
from ncs.storage import read_arrays, write_bytes

if TYPE_CHECKING:
    from ncs.agent import Trained

TITLE = "Neural Constraint Satisfaction, reproduced"
SOLVED_OBJECTS = 4
SOLVED_SEED = 4


def describe_run(scale: Scale, worlds: Sequence[Artefacts], given: bool) -> dict[str, Any]:
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
    for artefacts in worlds:
        if artefacts.buffer is not None:
            facts[f"buffer of {artefacts.world}"] = open_buffer(artefacts.buffer, verify=False).hash
        if artefacts.model is not None:
            facts[f"model of {artefacts.world}"] = checkpoint_hash(artefacts.model)
        if artefacts.dslate is not None:
            facts[f"dSLATE of {artefacts.world}"] = checkpoint_hash(artefacts.dslate)
        for name, folder in artefacts.rivals.items():
            facts[f"{name} of {artefacts.world}"] = load_policy(folder).checkpoint
    return facts


def draw_solutions(worlds: Sequence[Artefacts], folder: Path) -> dict[str, Path]:
    """A strip of one solved task for each world, drawn unless it is there."""
    from ncs.agent import Trained

    strips = {}
    for artefacts in worlds:
        if artefacts.model is None:
            continue
        trained = Trained.load(artefacts.model, world=artefacts.world)
        checkpoint = str(trained.checkpoint)
        out = folder / keyed(artefacts.world, checkpoint, SOLVED_OBJECTS, SOLVED_SEED)
        if not (out / "trace.json").exists():  # the last that is written
            draw_solution(trained, artefacts.model, out)
        strips[artefacts.world] = out / "strip.png"
    return strips


def draw_solution(trained: "Trained", model: Path, out: Path) -> None:
    """Plays one task with every extension, as 'ncs solve' does."""
    from ncs.agent import Manner
    from ncs.agent.recorder import Recorder, play_and_save, solve_command
    from ncs.data.seeds import stream
    from ncs.envs import make_env

    env = make_env(trained.world, n_objects=SOLVED_OBJECTS)
    task = env.draw_task(stream("fresh", SOLVED_SEED, SOLVED_OBJECTS))
    n_slots = trained.slots_for(SOLVED_OBJECTS)
    recorder = Recorder(trained, Manner(), n_slots, SOLVED_SEED)
    options = {"objects": SOLVED_OBJECTS, "seed": SOLVED_SEED}
    command = solve_command({"world": trained.world, "model": model, **options})
    play_and_save(env, task, recorder, out, command)


def write_report(out: Path, worlds: Sequence[Artefacts], strips: dict[str, Path]) -> None:
    """Writes report.html, report.md and the figures, from the results and arrays of a run."""
    points = load_points(out / "results")
    sections = [
        *result_sections(points),
        *seen_sections(worlds, strips),
        facts_section(about(out / "results")),
    ]
    for picture in pictures(sections):
        write_bytes(out / "figures" / picture.name, picture.png)
    write_bytes(out / "report.md", as_markdown(TITLE, sections, "figures").encode())
    write_bytes(out / "report.html", as_html(TITLE, sections).encode())


def seen_sections(worlds: Sequence[Artefacts], strips: dict[str, Path]) -> list[Section]:
    """The figures of nodes and of planning, for each world that has a model."""
    nodes: list[Block] = []
    plans: list[Block] = []
    for artefacts in worlds:
        if artefacts.model is None:
            continue
        world = artefacts.world
        nodes.append(node_image(artefacts))
        caption = (
            f"{world}, a fresh task of {SOLVED_OBJECTS} objects: matched slots have one colour "
            "in scene and goal (align), the chosen one is bold (select), and the two nodes with "
            "their edge are those it is bound to (bind); the arrow is the action."
        )
        plans.append(Image(f"planning-{world}.png", strips[world].read_bytes(), caption))
    if not nodes:
        return []
    words = "What the graph is made of: multiple nodes may stand for one place, as in the paper."
    return [
        Section("nodes", "Nodes of the graph", (Words(words), *nodes)),
        Section("planning", "Align, select, bind", tuple(plans)),
    ]


def node_image(artefacts: Artefacts) -> Image:
    """The t-SNE of a world's states, by nodes of the paper's graph."""
    arrays, _ = read_arrays(states_beside(artefacts.graphs["paper"]))
    graph, label = read_arrays(artefacts.graphs["paper"])
    figure = draw_nodes(lay_out(arrays["state"]), arrays["node"], graph["mask"])
    kind = "masks" if label["graph"]["representation"] == "alpha" else "states"
    caption = (
        f"{artefacts.world}: t-SNE of the {kind} of {len(arrays['state'])} moved entities of the "
        f"buffer, coloured and numbered by their node among {len(graph['node'])} (the paper's "
        "settings, graph built in this run)."
    )
    return Image(f"nodes-{artefacts.world}.png", as_png(figure), caption)
