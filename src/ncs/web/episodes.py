"""Takes a request and the catalogue, gives an episode or a plan that is played step by step.

Everything here runs on the thread of the job queue.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.agent import Trained
from ncs.agent.presets import Manner
from ncs.agent.recorder import Moment, Recorder, imagine, play, solve_command
from ncs.analysis.pictures import encode_png
from ncs.data.seeds import stream
from ncs.envs import make_env
from ncs.envs.base import Rearrange
from ncs.envs.goal_editing import camera_of, put_goal, put_goals, write_place
from ncs.records import ConfigError, DataError, Task
from ncs.web.catalogue import Catalogue
from ncs.web.payloads import moment_payload, scene_payload
from ncs.web.reasons import SeenPair
from ncs.web.schemas import AgentRequest, Drag, ModelRequest, SceneRequest, TaskRequest

MORE_OBJECTS = 3  # in pictures than in training, at most
MOST_FORESEEN = 24  # moves of a plan for two pictures


class Episode:
    """An episode or a plan, played a step at a time, and what can be downloaded of it."""

    def __init__(
        self,
        moments: Iterator[Moment],
        recorder: Recorder,
        commands: list[str],
        files: dict[str, bytes] | None = None,
    ) -> None:
        self._moments, self.recorder, self.commands = moments, recorder, commands
        self.files = files or {}
        self.steps: list[dict[str, Any]] = []
        self._seen: list[SeenPair] = []  # of each step
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
        if (seen := SeenPair.of(moment)) is not None:
            self._seen.append(seen)
        self.solved = moment.solved
        return moment_payload(moment)

    def seen(self, step: int) -> dict[str, Any]:
        """Why things were seen in the pictures of a step."""
        if not 0 <= step < len(self._seen):
            raise DataError(f"step: there is no {step}, choose from 0 to {len(self._seen) - 1}")
        return self._seen[step].payload(self.recorder.trained.model)

    def trace(self) -> bytes:
        """The JSON trace, as 'ncs solve' writes it."""
        command = " && ".join(self.commands)
        facts = {"command": command, "solved": self.solved, "steps": self.steps}
        return self.recorder.trace(facts)


def begin_episode(catalogue: Catalogue, request: TaskRequest) -> Episode:
    """The episode of a task, not yet begun."""
    trained = catalogue.trained(request.model, request.preset, request.nodes)
    env, task = draw_task(trained.world, request)
    n_slots = request.slots or trained.slots_for(request.objects, request.preset)
    recorder = make_recorder(trained, request, n_slots, request.seed)
    return Episode(play(env, task, recorder), recorder, solve_commands(catalogue, request))


def begin_plan(
    catalogue: Catalogue,
    request: AgentRequest,
    image: NDArray[np.uint8],
    goal: NDArray[np.uint8],
) -> Episode:
    """The plan for two pictures (H, W, 3), not yet begun."""
    trained = catalogue.trained(request.model, request.preset, request.nodes)
    most = (trained.seen.objects or 0) + MORE_OBJECTS  # nobody says how many there are
    n_slots = request.slots or trained.slots_for(most, request.preset)
    recorder = make_recorder(trained, request, n_slots, 0)
    moments = imagine(recorder, image, goal, n_slots, MOST_FORESEEN)
    files = {"now.png": encode_png(image), "goal.png": encode_png(goal)}
    options = {"world": trained.world, **agent_options(catalogue, request), "slots": n_slots}
    options |= {"image": "now.png", "goal_image": "goal.png"}
    commands = [*graph_commands(catalogue, request), solve_command(options)]
    return Episode(moments, recorder, commands, files)


def make_recorder(trained: Trained, request: AgentRequest, n_slots: int, seed: int) -> Recorder:
    """The agent as the sliders and switches say, its every step drawn."""
    manner = Manner(request.preset, request.without, request.only, request.choice)
    return Recorder(trained, manner, n_slots, seed)


def solve_commands(catalogue: Catalogue, request: TaskRequest) -> list[str]:
    """The command lines that play the same episode."""
    world = catalogue.trained(request.model, request.preset).world
    names = ("objects", "goal", "seed", "place")
    task = {name: getattr(request, name) for name in names}
    options = {"world": world, **agent_options(catalogue, request), **task}
    return [*graph_commands(catalogue, request), solve_command(options)]


def agent_options(catalogue: Catalogue, request: AgentRequest) -> dict[str, Any]:
    """A request's model, graph and switches as options of 'ncs solve'."""
    options: dict[str, Any] = {"model": catalogue.folder(request.model), "preset": request.preset}
    if request.nodes is not None:
        options["graph"] = catalogue.graph_file(request.model, request.preset, request.nodes)
    names = ("slots", "choice", "without", "only")
    return options | {name: getattr(request, name) for name in names}


def graph_commands(catalogue: Catalogue, request: ModelRequest) -> list[str]:
    """The commands that make a request's graph, if it is not the one beside the model."""
    if request.nodes is None:
        return []
    return catalogue.graph_commands(request.model, request.preset, request.nodes)


def draw_scene(catalogue: Catalogue, request: SceneRequest) -> dict[str, Any]:
    """Start and goal of a task as the page shows them, after the drag if there is one."""
    trained = catalogue.trained(request.model, request.preset)
    env, task = draw_task(trained.world, request)
    place, refusal = list(request.place), ""
    if request.drag is not None:
        try:
            task, place = drag_goal(task, place, request.drag)
        except ConfigError as error:
            refusal = str(error)  # a hand may pass over places where nothing can be put
    observation, info = env.reset(options={"task": task})
    return {
        **scene_payload(task, observation, info),
        "place": place,
        "refusal": refusal,
        "slots": trained.slots_for(request.objects, request.preset),
        "nodes": len(trained.graph.node),
    }


def draw_task(world: str, request: TaskRequest) -> tuple[Rearrange, Task]:
    """The world and the task of a request, as 'ncs solve' draws them."""
    env = make_env(world, n_objects=request.objects, goal=request.goal)
    task = env.draw_task(stream("fresh", request.seed, request.objects))
    return env, put_goals(task, request.place)


def drag_goal(task: Task, place: list[str], drag: Drag) -> tuple[Task, list[str]]:
    """The task after a drag, and the list of all drags so far."""
    point_2 = camera_of(task).unproject(drag.x, drag.y)
    task = put_goal(task, drag.index, point_2)
    if place and place[-1].partition(":")[0] == str(drag.index):
        place = place[:-1]  # one hand, one move: only where it ends counts
    return task, [*place, write_place(drag.index, point_2)]
