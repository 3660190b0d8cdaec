"""Where the work is done: simulators, model and drawing on one thread, a bounded queue before it.

Simulators and their drawing contexts belong to one thread, and two cores gain nothing by more.
"""

import asyncio
import base64
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ncs.agent import Mind
from ncs.agent.recorder import Moment, Watcher, adjusted_control, imagine, play, solve_command
from ncs.analysis.graph_picture import SIZE, mask_tile, node_centres, spread_apart
from ncs.analysis.pictures import encode_png, enlarge
from ncs.analysis.trace import PALETTE
from ncs.data.seeds import stream
from ncs.envs import make_env
from ncs.envs.base import Rearrange
from ncs.envs.goal_editing import camera_of, handles, put_goal, put_goals, write_place
from ncs.graph.summary import summarise
from ncs.records import ConfigError, Graph, NcsError, Task
from ncs.training.checkpoint import read_manifest
from ncs.web.asks import Drag, Manner, ModelAsk, SceneAsk, TaskAsk
from ncs.web.shelf import Shelf

MOST_WAITING = 16  # jobs in the queue, each a fraction of a second
SHOWN = 256  # pixels a side of pictures on the page
MOST_FORESEEN = 24  # moves of a plan for two pictures
T = TypeVar("T")


class BusyError(NcsError):
    """Too much is asked at once."""


class Studio:
    """One thread that does what the page asks, a job at a time."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="studio")
        self._waiting = 0

    async def do(self, job: Callable[..., T], *arguments: Any) -> T:
        """The result of a job; refuses when too many wait already."""
        if self._waiting >= MOST_WAITING:
            raise BusyError(f"{MOST_WAITING} requests wait already; try again in a moment")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, functools.partial(job, *arguments))
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Lets the thread end when its present job is done."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    # What follows runs on the thread.

    def warm_up(self) -> None:
        """Loads the first model, so that the first click need not wait for it."""
        for model in self.shelf.models:
            if "error" not in model:
                self.shelf.mind(model["name"], model["presets"][0])
                return

    def models(self) -> list[dict[str, Any]]:
        """Every model as the page lists it."""
        return self.shelf.models

    def scene(self, ask: SceneAsk) -> dict[str, Any]:
        """Start and goal of a task as pictures, after the drag if there is one."""
        mind = self.shelf.mind(ask.model, ask.preset)
        env, task = draw_task(mind.world, ask)
        place, refusal = list(ask.place), ""
        if ask.drag is not None:
            try:
                task, place = drag_goal(task, place, ask.drag)
            except ConfigError as error:
                refusal = str(error)  # a hand may pass over places where nothing can be put
        observation, info = env.reset(options={"task": task})
        return {
            "image": as_url(enlarge(observation["image"], SHOWN // 64)),
            "goal": as_url(enlarge(observation["goal"], SHOWN // 64)),
            "handles": [{"index": h.index, "x": h.x, "y": h.y} for h in handles(task)],
            "place": place,
            "refusal": refusal,
            "minimum_moves": info["minimum_moves"],
            "satisfied": info["satisfied"],
            "constraints": info["constraints"],
            "slots": mind.slots_for(ask.objects, ask.preset),
            "nodes": len(mind.graph.node),
        }

    def begin(self, ask: TaskAsk) -> "Show":
        """A task about to be played."""
        mind = self.shelf.mind_with(ask.model, ask.preset, ask.nodes)
        env, task = draw_task(mind.world, ask)
        n_slots = ask.slots or mind.slots_for(ask.objects, ask.preset)
        watcher = self._watcher(mind, ask, n_slots, ask.seed)
        return Show(play(env, task, watcher), watcher, self.commands(ask, mind))

    def begin_plan(self, ask: Manner, image: NDArray[np.uint8], goal: NDArray[np.uint8]) -> "Show":
        """Two pictures about to be planned for."""
        mind = self.shelf.mind_with(ask.model, ask.preset, ask.nodes)
        n_slots = ask.slots or 2 * mind.spare + 4  # nobody says how many objects there are
        watcher = self._watcher(mind, ask, n_slots, 0)
        moments = imagine(mind, watcher, image, goal, n_slots, MOST_FORESEEN)
        asked = {"world": mind.world, **self._options(ask), "slots": n_slots}
        asked |= {"image": "now.png", "goal_image": "goal.png"}
        pair = {"now.png": encode_png(image), "goal.png": encode_png(goal)}
        return Show(moments, watcher, [*self._graph_commands(ask), solve_command(asked)], pair)

    def _watcher(self, mind: Mind, ask: Manner, n_slots: int, seed: int) -> Watcher:
        control = adjusted_control(ask.preset, ask.without, ask.only, ask.choice)
        return Watcher(mind, control, n_slots, seed)

    def commands(self, ask: TaskAsk, mind: Mind) -> list[str]:
        """The command lines that do the same."""
        task = {"objects": ask.objects, "goal": ask.goal, "seed": ask.seed, "place": ask.place}
        asked = {"world": mind.world, **self._options(ask), **task}
        return [*self._graph_commands(ask), solve_command(asked)]

    def _options(self, ask: Manner) -> dict[str, Any]:
        asked: dict[str, Any] = {"model": self.shelf.folder(ask.model), "preset": ask.preset}
        if ask.nodes is not None:
            asked["graph"] = self.shelf.graph_file(ask.model, ask.preset, ask.nodes)
        return asked | {
            "slots": ask.slots,
            "choice": ask.choice,
            "without": ask.without,
            "only": ask.only,
        }

    def _graph_commands(self, ask: ModelAsk) -> list[str]:
        if ask.nodes is None:
            return []
        return self.shelf.graph_commands(ask.model, ask.preset, ask.nodes)

    def graph(self, ask: ModelAsk) -> dict[str, Any]:
        """A graph as the page draws it."""
        mind = self.shelf.mind_with(ask.model, ask.preset, ask.nodes)
        return describe_graph(mind.graph)

    def buffer(self, model: str) -> tuple[Path, Path]:
        """A model's folder and that of a small buffer of its world."""
        folder = self.shelf.folder(model)
        return folder, self.shelf.buffer(str(read_manifest(folder)["buffer"]["world"]))


class Show:
    """An episode or a plan, played a step at a time, and what can be taken home from it."""

    def __init__(
        self,
        moments: Iterator[Moment],
        watcher: Watcher,
        commands: list[str],
        files: dict[str, bytes] | None = None,
    ) -> None:
        self._moments, self.watcher, self.commands = moments, watcher, commands
        self.files = files or {}
        self.steps: list[dict[str, Any]] = []
        self.solved = False

    def next(self) -> dict[str, Any] | None:
        """The next moment as the page shows it; None when it is over."""
        moment = next(self._moments, None)
        if moment is None:
            return None
        if self.steps and moment.satisfied >= 0:
            self.steps[-1]["satisfied_after"] = moment.satisfied
        if moment.decision is not None:
            self.steps.append(dict(moment.decision))
        self.solved = moment.solved
        return describe_moment(moment)

    def trace(self) -> bytes:
        """The JSON trace, as 'ncs solve' writes it."""
        command = " && ".join(self.commands)
        facts = {"command": command, "solved": self.solved, "steps": self.steps}
        return self.watcher.trace(facts)


def draw_task(world: str, ask: TaskAsk) -> tuple[Rearrange, Task]:
    """The world and the task that are asked for, as 'ncs solve' draws them."""
    env = make_env(world, n_objects=ask.objects, goal=ask.goal)
    task = env.draw_task(stream("fresh", ask.seed, ask.objects))
    return env, put_goals(task, ask.place)


def drag_goal(task: Task, place: list[str], drag: Drag) -> tuple[Task, list[str]]:
    """The task after a drag, and the list of all drags so far."""
    point_2 = camera_of(task.world).unproject(drag.x, drag.y)
    task = put_goal(task, drag.index, point_2)
    if place and place[-1].partition(":")[0] == str(drag.index):
        place = place[:-1]  # one hand, one move: only where it ends counts
    return task, [*place, write_place(drag.index, point_2)]


def describe_moment(moment: Moment) -> dict[str, Any]:
    """A moment as plain values, pictures inside."""
    told: dict[str, Any] = {
        "image": as_url(enlarge(moment.image, SHOWN // 64)),
        "goal": as_url(enlarge(moment.goal, SHOWN // 64)),
        "satisfied": moment.satisfied,
        "constraints": moment.constraints,
        "minimum_moves": moment.minimum_moves,
        "solved": moment.solved,
        "step": moment.decision,
    }
    if moment.panels is not None and moment.decision is not None:
        told["scene_seen"] = as_url(moment.panels.scene)
        told["goal_seen"] = as_url(moment.panels.goal)
        told["nodes_seen"] = as_url(moment.panels.edge)
        count = len(moment.decision["pairs"])
        told["colours"] = [
            "#{:02x}{:02x}{:02x}".format(*PALETTE[i % len(PALETTE)]) for i in range(count)
        ]
    return told


def as_url(picture: NDArray[np.uint8]) -> str:
    """A picture as a data address."""
    return "data:image/png;base64," + base64.b64encode(encode_png(picture)).decode()


def describe_graph(graph: Graph) -> dict[str, Any]:
    """Nodes with their places and pictures, edges with their evidence."""
    by_mask_M2 = spread_apart(node_centres(graph.mask)) / SIZE
    tsne_M2, complaint = tsne(graph)
    nodes = [
        {
            "tile": as_url(mask_tile(graph.mask[index])),
            "mask": by_mask_M2[index].tolist(),
            "tsne": None if tsne_M2 is None else tsne_M2[index].tolist(),
            "in": int(graph.count[:, index].sum()),
            "out": int(graph.count[index].sum()),
        }
        for index in range(len(graph.node))
    ]
    edges = [
        {
            "from": int(i),
            "to": int(j),
            "count": int(graph.count[i, j]),
            "action": [round(float(number), 3) for number in graph.action[i, j]],
            "spread": round(float(graph.spread[i, j]), 4) if graph.spread.size else None,
        }
        for i, j in np.argwhere(graph.count > 0)
    ]
    return {"nodes": nodes, "edges": edges, "facts": summarise(graph), "no_tsne": complaint}


def tsne(graph: Graph) -> tuple[NDArray[np.float64] | None, str]:
    """Nodes laid out by t-SNE in [0, 1], or why they are not."""
    if len(graph.node) < 4:
        return None, "t-SNE needs four nodes at least"
    try:
        from ncs.analysis.node_map import lay_out
    except ImportError as error:
        return None, f"t-SNE needs {error.name}: pip install 'ncs[figures]'"
    place_M2 = lay_out(graph.node)
    low_2, high_2 = place_M2.min(axis=0), place_M2.max(axis=0)
    return (place_M2 - low_2) / np.maximum(high_2 - low_2, 1e-9), ""
