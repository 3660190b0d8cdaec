"""A small grid for tests of engines."""

from ncs.agent.methods import make_method
from ncs.agent.options import MethodOptions
from ncs.evaluation.grid import Request
from ncs.evaluation.harness import JudgeConfig

RULES = JudgeConfig(world="block-rearrange", objects=(4, 5), seeds=2, episodes=2, split="dev")
ASKED = MethodOptions(world="block-rearrange")
REQUESTS = [
    Request(study="table", label=name, method=make_method(name, ASKED), rules=RULES, batch=1)
    for name in ("random", "oracle")
]
