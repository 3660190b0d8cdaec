"""A graph of one's own: collect a little, look at it, connect what moved."""

import tempfile
from pathlib import Path

from ncs.agent import GraphBuilder, shipped_model
from ncs.data.buffer import open_buffer
from ncs.data.collect import CollectConfig, collect
from ncs.envs import make_env
from ncs.graph.summary import summarise

with tempfile.TemporaryDirectory() as folder:
    config = CollectConfig(world="block-rearrange", episodes=50, seed=1)
    for _ in collect(make_env, config, Path(folder) / "buffer"):
        pass
    builder = GraphBuilder(shipped_model("blocks-fast-0"), open_buffer(Path(folder) / "buffer"))
    graph = builder.build(builder.plan("best")).graph
print(summarise(graph))
