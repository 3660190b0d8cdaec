"""What a graph and a decision cost: build time against clips, decision time against objects.

Run: python benchmarks/bench_graph.py [--clips 4000]
"""

import argparse
import time

import numpy as np

from ncs.baselines.nonfactorised import build_sets
from ncs.control import ControlConfig, Problem, decide
from ncs.graph import Arena, Experience, GraphConfig, build
from ncs.records import Entities, Graph

WORLD = "block-rearrange"
FRAMES, SLOTS, CELLS, MASK = 5, 5, 16, 256
LINE = np.linspace(-0.75, 0.75, 4)
PLACE_C2 = np.stack(np.meshgrid(LINE, LINE), -1).reshape(-1, 2)
ARENA = Arena(np.full(2, -0.4), np.full(2, 0.4), 0.07)


def make_experience(n_clips: int, rng: np.random.Generator) -> Experience:
    cells = np.argsort(rng.random((n_clips, CELLS)), 1)[:, :SLOTS]
    targets = rng.integers(CELLS, size=(n_clips, FRAMES - 1))
    cell_CTK = np.repeat(cells[:, None], FRAMES, 1)
    for t in range(FRAMES - 1):
        cell_CTK[:, t + 1 :, t] = targets[:, t, None]
    w = PLACE_C2[cells[:, : FRAMES - 1]] * 0.4
    there = PLACE_C2[targets] * 0.4
    flat = np.zeros((n_clips, FRAMES - 1, 1))
    state = PLACE_C2[cell_CTK] + 0.02 * rng.normal(size=(*cell_CTK.shape, 2))
    mask = np.full((*cell_CTK.shape, MASK), 0.02, np.float32)
    np.put_along_axis(mask, cell_CTK[..., None] * (MASK // CELLS), 0.9, -1)
    return Experience(
        kind=rng.random((*cell_CTK.shape, 12)).astype(np.float32),
        state=state.astype(np.float32),
        mask=mask,
        presence=np.ones(cell_CTK.shape, bool),
        action=np.concatenate([w, flat + 0.07, there - w, flat], -1).astype(np.float32),
    )


def make_entities(n: int, rng: np.random.Generator) -> Entities:
    mask = np.full((n, MASK), 0.02, np.float32)
    cells = rng.permutation(CELLS)[:n]
    mask[np.arange(n), cells * (MASK // CELLS)] = 0.9
    return Entities(
        kind=rng.random((n, 12)).astype(np.float32),
        state=PLACE_C2[cells].astype(np.float32),
        mask=mask,
        presence=np.ones(n, bool),
    )


def time_build(config: GraphConfig, clips: int) -> tuple[float, Graph]:
    batch = make_experience(500, np.random.default_rng(0))
    batches = [batch] * (clips // 500)
    start = time.perf_counter()
    graph = build(batches, config, np.random.default_rng(1))
    return time.perf_counter() - start, graph


def time_decision(graph: Graph, config: ControlConfig, n: int, repeats: int = 200) -> float:
    rng = np.random.default_rng(2)
    scenes = [(make_entities(n, rng), make_entities(n, rng)) for _ in range(20)]
    start = time.perf_counter()
    for turn in range(repeats):
        now, goal = scenes[turn % len(scenes)]
        decide(Problem(now, goal, graph, ARENA, rng), config.steps())
    return (time.perf_counter() - start) / repeats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clips", type=int, default=4000)
    most = parser.parse_args().clips
    presets = {
        "paper": (GraphConfig.paper(WORLD), ControlConfig.paper()),
        "best": (GraphConfig.best(WORLD), ControlConfig.best()),
    }
    for name, (graph_config, control_config) in presets.items():
        for clips in (most // 4, most // 2, most):
            seconds, graph = time_build(graph_config, clips)
            print(
                f"build {name:5} {clips:6d} clips  {seconds:6.2f} s  "
                f"{1e3 * seconds / clips:6.3f} ms a clip  {len(graph.node)} nodes"
            )
        for n in (4, 7, 12):
            milliseconds = 1e3 * time_decision(graph, control_config, n)
            print(f"decide {name:5} {n:2d} objects  {milliseconds:6.3f} ms")
    batch = make_experience(1000, np.random.default_rng(0))
    start = time.perf_counter()
    sets = build_sets(batch, graph)
    print(f"NF 1000 clips  {time.perf_counter() - start:6.2f} s  {len(sets.scene)} scenes")


if __name__ == "__main__":
    main()
