"""Plays a grid on a Ray cluster of two nodes, one of which is killed midway.

Run as: python -m tests.reproduction.kill_ray_node FOLDER. Exit code 1 unless a node died.
"""

import os
import secrets
import sys
from pathlib import Path

os.environ["RAY_AUTH_MODE"] = "token"
os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


def main(folder: Path) -> int:
    from ray.cluster_utils import Cluster
    from tests.reproduction.small_grid import REQUESTS

    from ncs.envs import make_env
    from ncs.evaluation.grid import missing, play
    from ncs.reproduction.engines import make_engine

    quiet = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=quiet)
    second = cluster.add_node(num_cpus=1)
    engine = make_engine("ray", 2, cluster.address)
    steps = play(make_env, REQUESTS, folder, engine)
    for _ in range(3):
        next(steps)
    left = missing(REQUESTS, folder)
    cluster.remove_node(second, allow_graceful=False)
    for _ in steps:
        pass
    cluster.shutdown()
    return 0 if left > 0 and not missing(REQUESTS, folder) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
