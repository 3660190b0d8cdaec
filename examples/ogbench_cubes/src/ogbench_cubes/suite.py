"""Takes nothing, gives the frozen suite: OGBench's tasks in turn, each with a seed of its own.

    python -m ogbench_cubes.suite

Episode e of a seed is task e mod 5 + 1, so that 50 episodes are ten of each.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ncs.data.seeds import stream
from ncs.evaluation.suite import EPISODES, SEEDS, publish, suite_name
from ncs.storage import digest_content, write_arrays
from ogbench_cubes.facts import CUBES, N_TASKS, NAME, VARIANTS
from ogbench_cubes.tasks import official_task


def draw() -> dict[str, NDArray[Any]]:
    """The arrays of the suite, as ``ncs.evaluation.suite`` reads them."""
    arrays: dict[str, NDArray[Any]] = {}
    for n_cubes in VARIANTS:
        tasks = [
            official_task(
                n_cubes,
                number % EPISODES % N_TASKS + 1,
                int(stream("test", n_cubes, number).integers(2**31)),
            )
            for number in range(SEEDS * EPISODES)
        ]
        for name in tasks[0].scene:
            arrays[f"complete/{n_cubes}/{name}"] = np.stack([t.scene[name] for t in tasks])
        moves = [task.minimum_moves for task in tasks]
        arrays[f"complete/{n_cubes}/minimum_moves"] = np.array(moves, np.int16)
    return arrays


def main() -> None:
    """Writes the suite and its hash."""
    arrays = draw()
    path = Path(str(CUBES.suites)) / suite_name(NAME, "test")
    write_arrays(path, arrays, {"world": NAME, "split": "test"})
    publish(path, digest_content(arrays))
    print(f"{path}: {digest_content(arrays)[:12]}")


if __name__ == "__main__":
    main()
