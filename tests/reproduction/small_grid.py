"""A small grid for tests of engines."""

from ncs.evaluation.grid import Request
from ncs.evaluation.harness import JudgeConfig, Method

RULES = JudgeConfig(world="block-rearrange", objects=(4, 5), seeds=2, episodes=2, split="dev")
REQUESTS = [
    Request(study="table", label=name, method=Method(name=name), rules=RULES, batch=1)
    for name in ("random", "oracle")
]
