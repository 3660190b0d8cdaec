"""A watched agent plays as an unwatched one does, and foresees what it would do."""

import numpy as np
import pytest

from ncs.agent import Agent, Trained, shipped_model
from ncs.agent.players import players_of
from ncs.agent.presets import Manner
from ncs.agent.recorder import Recorder, imagine, play, solve_command
from ncs.data.seeds import stream
from ncs.envs import make_env


@pytest.fixture(scope="module")
def trained() -> Trained:
    return Trained.load(shipped_model("blocks-fast-0"))


def draw(n: int = 4, goal: str = "partial"):
    env = make_env("block-rearrange", n_objects=n, goal=goal)
    return env, env.draw_task(stream("fresh", 5))


def test_watching_changes_nothing(trained: Trained) -> None:
    env, task = draw()
    moments = list(play(env, task, Recorder(trained, Manner(), 7, 0)))
    agent = Agent(players_of(trained, Manner(), 7))
    observation, _ = env.reset(options={"task": task})
    for moment in moments[:-1]:
        decision = agent.act(observation["image"], observation["goal"])
        assert moment.decision is not None
        assert moment.decision["action"] == decision.action.tolist()
        assert len(moment.decision["why"]) == 3
        assert (moment.image == observation["image"]).all()
        observation, *_ = env.step(decision.action)
    assert moments[-1].decision is None
    assert moments[-1].solved


def test_it_plays_as_the_judge_has_it_play(trained: Trained) -> None:
    env, task = draw(6, "complete")
    policy = trained.policy(Manner().control, 9)
    policy.begin([(3,)])
    agent = Agent(players_of(trained, Manner(), 9), 3)
    observation, _ = env.reset(options={"task": task})
    for _ in range(4):
        pair = observation["image"], observation["goal"]
        action = agent.act(*pair).action
        assert (action == policy.act(*(picture[None] for picture in pair), [0])[0]).all()
        observation, *_ = env.step(action)


def test_a_task_that_is_solved_already_has_no_step(trained: Trained) -> None:
    from ncs.envs.blocks.tasks import make_task

    env, task = draw(goal="complete")
    start = task.scene["start"].astype(int)
    done = make_task("complete", task.scene["colour"], start, start)
    moments = list(play(env, done, Recorder(trained, Manner(), 7, 0)))
    assert len(moments) == 1
    assert moments[0].solved


def test_a_plan_for_two_pictures_leads_to_the_goal_when_it_is_carried_out(trained: Trained) -> None:
    env, task = draw(goal="complete")
    observation, _ = env.reset(options={"task": task})
    recorder = Recorder(trained, Manner(), 7, 0)
    plan = list(imagine(recorder, observation["image"], observation["goal"], 7, 12))
    assert plan[-1].solved
    assert len(recorder.rows) == len(plan)
    for moment in plan[:-1]:
        assert moment.decision is not None
        *_, solved, _, _ = env.step(np.array(moment.decision["action"], np.float32))
    assert solved


def test_a_plan_ends_where_it_is_told_to(trained: Trained) -> None:
    env, task = draw(goal="complete")
    observation, _ = env.reset(options={"task": task})
    recorder = Recorder(trained, Manner(), 7, 0)
    plan = list(imagine(recorder, observation["image"], observation["goal"], 7, 2))
    assert [moment.decision is None for moment in plan] == [False, False, True]
    assert not plan[-1].solved


def test_a_command_leaves_out_what_was_not_asked_for() -> None:
    asked = {
        "world": "w",
        "goal_image": "a b.png",
        "slots": None,
        "place": (),
        "without": ("x", "y"),
    }
    assert solve_command(asked) == "ncs solve --world w --goal-image 'a b.png' --without x y"
