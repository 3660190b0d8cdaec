"""Policies by name: the one place where a method meets the judge."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from ncs.evaluation.harness import Method
from ncs.records import ConfigError, Env, Policy

MethodName = Literal["random", "oracle"]


def make_policy(method: Method, envs: Sequence[Env]) -> Policy:
    """The policy of a method. All but the oracle see no more of the worlds than their arena."""
    space = envs[0].action_space
    low_3, high_3 = space.low[:3].astype(np.float64), space.high[:3].astype(np.float64)
    if method.name == "random":
        from ncs.baselines.chance import Chance

        return Chance(low_3, high_3)
    if method.name == "oracle":
        from ncs.baselines.oracle import Oracle

        return Oracle(envs)
    raise ConfigError(f"method: there is no {method.name!r}, choose from {get_args(MethodName)}")
