"""Collects experience into a buffer.

Clip i depends on the seed and i alone, so any number of workers, killed and run again any number
of times, end with the same bytes.

Legend: C clips in a shard, T frames, N objects.
"""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ncs.data.buffer import FORMAT, MANIFEST, SHARD_CLIPS, clip_shard, read_manifest, truth_shard
from ncs.data.rollout import Start, rollout
from ncs.data.seeds import stream
from ncs.data.workers import spread
from ncs.records import DataError, Env, Episode
from ncs.settings import Settings
from ncs.storage import (
    digest_file,
    locked,
    read_arrays,
    read_json,
    remove_leftovers,
    write_arrays,
    write_json,
)

PLAN = "collecting.json"
MakeEnv = Callable[..., Env]


class CollectConfig(Settings):
    """What experience to gather."""

    world: str
    episodes: int = Field(5000, ge=1, le=10_000_000)  # the paper's buffer
    objects: int = Field(4, ge=1, le=12)  # the paper trains on four
    seed: int = Field(0, ge=0, lt=2**63)
    style: str = ""  # a world's own kind of scenes, such as those without some meshes

    @property
    def n_shards(self) -> int:
        """Files of each kind that the buffer takes."""
        return -(-self.episodes // SHARD_CLIPS)


class Explorer:
    """Moves every object once, in random order, each to a random legal place.

    It is told where objects are, so it plays no part in any comparison; the buffer keeps only what
    it did and what was seen.
    """

    def __init__(self, envs: Sequence[Env], n_objects: int) -> None:
        self._envs = envs
        self._n_objects = n_objects

    def begin(self, seed_B: Sequence[Sequence[int]]) -> None:
        """Draws each lane's order."""
        self._rngs = [np.random.default_rng(list(seed)) for seed in seed_B]
        self.orders = [rng.permutation(self._n_objects) for rng in self._rngs]
        self._moves = [0] * len(self._rngs)

    def act(
        self, image_BHWC: NDArray[np.uint8], goal_BHWC: NDArray[np.uint8], lane_B: Sequence[int]
    ) -> NDArray[np.float32]:
        """The next object's move in each lane."""
        actions = []
        for lane in lane_B:
            env, order, move = self._envs[lane], self.orders[lane], self._moves[lane]
            if hasattr(env, "first_of"):  # a world in which one may have to go before another
                first = env.first_of(order[move:].tolist(), self._rngs[lane])
                order[move:] = [first, *(i for i in order[move:] if i != first)]
            actions.append(env.random_move(int(order[move]), self._rngs[lane]))
            self._moves[lane] += 1
        return np.array(actions, np.float32)


@dataclass(frozen=True)
class ShardJob:
    """One shard to make."""

    make_env: MakeEnv
    config: CollectConfig
    folder: Path
    index: int
    label: Mapping[str, Any]  # the settings of the buffer, which every shard carries
    known: Mapping[str, str]  # SHA-256 of the files of a buffer that was finished before


@functools.lru_cache(maxsize=1)
def _free_play(make_env: MakeEnv, world: str, n_objects: int, style: str = "") -> Env:
    """The world a worker plays in, made once."""
    settings = {"style": style} if style else {}
    return make_env(world, n_objects=n_objects, goal="none", **settings)


def make_shard(job: ShardJob) -> list[dict[str, Any]]:
    """Makes the two files of a shard unless they stand there whole; their manifest entries."""
    first = job.index * SHARD_CLIPS
    numbers = range(first, min(first + SHARD_CLIPS, job.config.episodes))
    paths = [job.folder / clip_shard(job.index), job.folder / truth_shard(job.index)]
    if all(_is_whole(path, job, len(numbers)) for path in paths):
        hashes = [digest_file(path) for path in paths]
    else:
        contents = _play_clips(job, numbers)
        hashes = [
            _write_shard(path, arrays, job, len(numbers))
            for path, arrays in zip(paths, contents, strict=True)
        ]
    return [
        {"name": path.name, "clips": len(numbers), "sha256": digest}
        for path, digest in zip(paths, hashes, strict=True)
    ]


def _play_clips(job: ShardJob, numbers: range) -> tuple[dict[str, NDArray[Any]], ...]:
    """What was seen and done in these clips, and the truth about them."""
    env = _free_play(job.make_env, job.config.world, job.config.objects, job.config.style)
    explorer = Explorer([env], job.config.objects)
    episodes, orders = [], []
    for number in numbers:
        episodes.append(_play(env, explorer, job.config, number))
        orders.append(explorer.orders[0])
    return _experience(episodes), _ground_truth(episodes, orders)


def _label(path: Path, job: ShardJob, n_clips: int) -> dict[str, Any]:
    """What a shard says it is, so that no other is taken for it."""
    kind = path.name.split("-")[0]
    return {**job.label, "kind": kind, "index": job.index, "clips": n_clips}


def _write_shard(path: Path, arrays: dict[str, NDArray[Any]], job: ShardJob, n_clips: int) -> str:
    """Writes a shard that knows what it is; its SHA-256 comes back."""
    sha256 = write_arrays(path, arrays, _label(path, job, n_clips))
    if job.known.get(path.name, sha256) != sha256:  # a buffer from before shards knew
        sha256 = write_arrays(path, arrays, {"clips": n_clips})
    return sha256


def _is_whole(path: Path, job: ShardJob, n_clips: int) -> bool:
    """Whether the shard that belongs there stands there undamaged."""
    try:
        if path.name in job.known:
            return digest_file(path) == job.known[path.name]
        return read_arrays(path)[1] == _label(path, job, n_clips)
    except DataError:
        return False


def _play(env: Env, explorer: Explorer, config: CollectConfig, number: int) -> Episode:
    """One clip."""
    rng = stream("train", config.seed, number)
    start = Start(env.draw_task(rng), rng.integers(2**32, size=4).tolist())
    return rollout([env], explorer, [start], keep=True, max_steps=config.objects)[0]


def _experience(episodes: Sequence[Episode]) -> dict[str, NDArray[Any]]:
    """What a model may learn from."""
    return {
        "frame": np.stack([e.frame for e in episodes if e.frame is not None]),
        "action": np.stack([e.action for e in episodes]),
    }


def _ground_truth(
    episodes: Sequence[Episode], orders: Sequence[NDArray[np.int64]]
) -> dict[str, NDArray[Any]]:
    """What a judge may look at."""
    scene_names = episodes[0].task.scene
    return {
        "position": np.array([[t.position for t in e.truth] for e in episodes], np.float32),
        "kind": np.array([e.truth[0].kind for e in episodes], np.int32),
        "colour": np.array([e.truth[0].colour for e in episodes], np.float32),
        "moved": np.array(orders, np.int8),
        **{f"scene/{n}": np.stack([e.task.scene[n] for e in episodes]) for n in scene_names},
    }


def collect(
    make_env: MakeEnv, config: CollectConfig, folder: Path, workers: int = 1
) -> Iterator[int]:
    """Fills a folder with a buffer, yielding the clips done so far.

    A folder that an earlier run of the same settings left unfinished is finished; a folder that
    holds anything else is refused and left alone.
    """
    settings = _settings(make_env, config)
    with locked(folder / MANIFEST):
        known = _claim(folder, settings)
        jobs = [
            ShardJob(make_env, config, folder, index, settings, known)
            for index in range(config.n_shards)
        ]
        shards: list[dict[str, Any]] = []
        done = 0
        for entries in spread(make_shard, jobs, min(workers, len(jobs))):
            shards += entries
            done += entries[0]["clips"]
            yield done
        plan = {"format": FORMAT, **settings, "frames": config.objects + 1}
        shards.sort(key=lambda shard: str(shard["name"]))
        write_json(folder / MANIFEST, {**plan, "shards": shards})
        (folder / PLAN).unlink(missing_ok=True)


def _settings(make_env: MakeEnv, config: CollectConfig) -> dict[str, Any]:
    """What a buffer is of; a world that cannot be played in that way refuses here."""
    settings = config.model_dump(mode="json")
    if config.style:
        env = make_env(config.world, n_objects=config.objects, goal="none", style=config.style)
        env.close()
    else:  # as in buffers from before there were styles
        del settings["style"]
    setup = make_env(config.world, n_objects=config.objects, goal="none").setup
    return {**settings, "setup": setup} if setup else settings


def _claim(folder: Path, settings: dict[str, Any]) -> dict[str, str]:
    """Marks a folder as being filled with these settings, or refuses it.

    The SHA-256 of each file comes back where the buffer was finished before.
    """
    for name in (MANIFEST, PLAN):
        if (folder / name).exists():
            content = read_manifest(folder) if name == MANIFEST else read_json(folder / name)
            # Not only what is asked for: what the buffer has beyond it makes it another, too.
            keys = [*settings, *sorted({"style", "setup"} - set(settings))]
            differ = ", ".join(
                f"{key} {content.get(key, 'none')} not {settings.get(key, 'none')}"
                for key in keys
                if content.get(key) != settings.get(key)
            )
            if differ:
                raise DataError(f"{folder}: holds another buffer ({differ}); choose another --out")
            remove_leftovers(folder)
            return {shard["name"]: shard["sha256"] for shard in content.get("shards", [])}
    foreign = [path.name for path in folder.iterdir() if not path.name.startswith(".")]
    if foreign:
        raise DataError(
            f"{folder}: is not empty and holds no buffer (found {sorted(foreign)[0]}); choose "
            "another --out"
        )
    write_json(folder / PLAN, settings)
    return {}
