"""Five blocks, two pictures, and an agent that says what it does and why."""

from ncs.agent import Agent, shipped_model
from ncs.envs import make_env

agent = Agent.load(shipped_model("blocks-fast-0"))
env = make_env("block-rearrange", n_objects=5)
observation, info = env.reset(seed=0)
solved = False
while not solved:
    decision = agent.act(observation["image"], observation["goal"])
    observation, _, solved, out_of_steps, info = env.step(decision.action)
    print(f"{info['satisfied']}/{info['constraints']}: {decision.reason}")
    if out_of_steps:
        break
