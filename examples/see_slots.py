"""What the model that ships sees in a scene of seven blocks."""

from ncs.agent import Trained, shipped_model
from ncs.envs import make_env

trained = Trained.load(shipped_model("blocks-fast-0"))
observation, _ = make_env("block-rearrange", n_objects=7).reset(seed=0)
perception = trained.perception(trained.slots_for(7))
(entities,) = perception(observation["image"][None], [0])
for slot in range(len(entities.presence)):
    if entities.presence[slot]:
        x, y = entities.state[slot]
        print(f"slot {slot}: at ({x:+.2f}, {y:+.2f}), sure to {entities.confidence[slot]:.2f}")
