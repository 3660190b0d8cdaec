"""Draws the ten pictures of docs/index.md and the README's film from the models that ship.

Run ``make pictures``. Nothing is drawn by hand, so they show what the code does today.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ncs.agent import Manner, Trained, default_model, see_clips
from ncs.agent.recorder import Moment, Recorder, play
from ncs.analysis.graph_picture import draw_graph, mask_tile
from ncs.analysis.pictures import Picture, enlarge, save_png, sheet, strip
from ncs.analysis.trace import PALETTE, Look, encode_gif, outline
from ncs.data.buffer import open_buffer
from ncs.data.collect import CollectConfig, collect
from ncs.data.seeds import stream
from ncs.envs import make_env
from ncs.records import Clips, Entities
from ncs.storage import write_bytes

OUT = Path(__file__).parent / "pictures"
BLOCKS, OBJECTS, SEED = "block-rearrange", 5, 3
MESHES, MESH_OBJECTS, MESH_SEED = "robogym-rearrange", 5, 4


@dataclass(frozen=True)
class Film:
    """A solved episode."""

    trained: Trained
    moments: list[Moment]
    rows: list[Picture]  # a row of pictures a step


def play_film(world: str, objects: int, seed: int) -> Film:
    """An episode with a world's own model; refuses one that is not solved."""
    trained = Trained.load(default_model(world))
    env = make_env(world, n_objects=objects)
    task = env.draw_task(stream("fresh", seed, objects))
    recorder = Recorder(trained, Manner(), trained.slots_for(objects), seed)
    moments = list(play(env, task, recorder))
    if not moments[-1].solved:
        raise SystemExit(f"{world}: the task of seed {seed} is not solved; take another")
    return Film(trained, moments, recorder.rows)


def see(trained: Trained, image: Picture, objects: int) -> Entities:
    """What the model sees in one picture."""
    (entities,) = trained.perception(trained.slots_for(objects))(image[None], [0])
    return entities


def bordered(image: Picture, entities: Entities, thick: int | None = None) -> Picture:
    """A picture with the border of every slot that shows a thing."""
    present = np.flatnonzero(entities.presence)
    colours = {int(slot): PALETTE[n % len(PALETTE)] for n, slot in enumerate(present)}
    return outline(Look(image, entities.mask, entities.presence), colours, thick)


def framed_masks(entities: Entities) -> tuple[list[Picture], list[str]]:
    """The mask of every slot that shows a thing, and its name."""
    slots = np.flatnonzero(entities.presence)
    tiles = [
        np.pad(enlarge(mask_tile(entities.mask[s]), 2), ((1, 1), (1, 1), (0, 0))) for s in slots
    ]
    return tiles, [f"slot {slot}" for slot in slots]


def draw_move(trained: Trained, folder: Path) -> tuple[Clips, Picture]:
    """Clips of a small buffer, and a move with the slot that changed most."""
    buffer = open_buffer(folder)
    clips = buffer.clips(np.arange(3))
    (seen,) = see_clips(trained.model, buffer, np.arange(1), trained.slots_for(4))
    slot = int(np.linalg.norm(seen.state[0, 1] - seen.state[0, 0], axis=-1).argmax())
    pictures = []
    for frame in range(2):
        look = Look(clips.frame[0, frame], seen.mask[0, frame], seen.presence[0, frame])
        pictures.append(outline(look, {slot: PALETTE[5]}, slot))
    return clips, strip(pictures, ["before the action", "after it: this slot changed most"])


def draw_all(film: Film, folder: Path) -> dict[str, Picture]:
    """Pictures by name, in the order in which the page shows them."""
    first, trained = film.moments[0], film.trained
    entities = see(trained, first.image, OBJECTS)
    clips, move = draw_move(trained, folder)
    assert first.panels is not None
    steps = [moment.panels.scene for moment in film.moments if moment.panels]
    rest = [f"step {n + 1}" for n in range(len(steps))]
    last = enlarge(film.moments[-1].image, 4)
    meshes = play_film(MESHES, MESH_OBJECTS, MESH_SEED)
    begin, end = meshes.moments[0], meshes.moments[-1]
    three = [enlarge(picture, 4) for picture in (begin.image, begin.goal, end.image)]
    return {
        "01-task": strip([enlarge(first.image, 4), enlarge(first.goal, 4)], ["now", "the goal"]),
        "02-clips": enlarge(sheet(clips.frame), 2),
        "03-slots": strip([bordered(first.image, entities)], ["slots: one a thing"]),
        "04-masks": strip(*framed_masks(entities)),
        "05-isolate": move,
        "06-graph": draw_graph(trained.graph),
        "07-align": strip([first.panels.scene, first.panels.goal], ["now", "the goal"]),
        "08-act": film.rows[0],
        "09-steps": strip([*steps, last], [*rest, "solved"]),
        "10-meshes": strip(three, ["now", "the goal", "solved"]),
    }


def main() -> None:
    """Draws them all."""
    film = play_film(BLOCKS, OBJECTS, SEED)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "buffer"
        for _ in collect(make_env, CollectConfig(world=BLOCKS, episodes=3), folder):
            pass
        pictures = draw_all(film, folder)
    for name, picture in pictures.items():
        save_png(OUT / f"{name}.png", picture)
    write_bytes(OUT / "solve.gif", encode_gif(film.rows))


if __name__ == "__main__":
    main()
