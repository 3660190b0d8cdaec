"""A graph of one's own: collect a little, look at it, connect what moved."""

import tempfile
from pathlib import Path

import numpy as np

from ncs.agent import graph_preset, shipped_model, watch
from ncs.data.buffer import open_buffer
from ncs.data.collect import CollectConfig, collect
from ncs.envs import make_env
from ncs.graph.build import build
from ncs.graph.summary import summarise
from ncs.training.checkpoint import load_model

with tempfile.TemporaryDirectory() as folder:
    config = CollectConfig(world="block-rearrange", episodes=50, seed=1)
    for _ in collect(make_env, config, Path(folder) / "buffer"):
        pass
    buffer = open_buffer(Path(folder) / "buffer")
    model = load_model(shipped_model("blocks-fast-0"))
    seen = watch(model, buffer, np.arange(50), n_slots=7)
    graph = build(seen, graph_preset("best", buffer.world), np.random.default_rng(0))
print(summarise(graph))
