"""Pictures like the buffer's are familiar, others are not, and what is kept is read back."""

from pathlib import Path

import numpy as np
import pytest

from ncs.agent.familiar import FILE, UNLIKE, get_to_know, load_familiar, save_familiar, warn_unlike
from ncs.data.buffer import Buffer
from ncs.records import Clips, DataError


class Discs:
    """A buffer of white discs on grey ground."""

    def __len__(self) -> int:
        return 60

    def clips(self, index_B: np.ndarray) -> Clips:
        frames = np.stack([[scene(5 * int(i) + t) for t in range(5)] for i in index_B])
        return Clips(frames, np.zeros((len(index_B), 4, 6), np.float32))


def scene(seed: int, ground: int = 120, discs: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    row, column = np.mgrid[:48, :64]
    picture = np.full((48, 64, 3), ground, np.uint8)
    for y, x in zip(rng.uniform(6, 42, discs), rng.uniform(6, 58, discs), strict=True):
        picture[np.hypot(row - y, column - x) < 5] = rng.integers(0, 256, 3)
    return picture


@pytest.fixture(scope="module")
def known():
    buffer: Buffer = Discs()  # type: ignore[assignment]
    return get_to_know(buffer)


def test_more_and_fewer_things_are_familiar(known) -> None:
    for discs in (0, 1, 3, 5):
        assert known.unlikeness(scene(10_000 + discs, discs=discs)) < UNLIKE


def test_another_ground_another_camera_and_noise_are_not(known) -> None:
    rng = np.random.default_rng(0)
    checks = np.kron(rng.integers(0, 256, (6, 8, 3)), np.ones((8, 8, 1))).astype(np.uint8)
    for strange in (scene(1, ground=230), checks, rng.integers(0, 30, (48, 64, 3), np.uint8)):
        assert known.unlikeness(strange) > UNLIKE


def test_any_size_is_judged(known) -> None:
    large = np.kron(scene(20_000), np.ones((4, 4, 1), np.uint8))
    assert known.unlikeness(large) < UNLIKE


def test_it_is_read_back_as_it_was_written(known, tmp_path: Path) -> None:
    assert load_familiar(tmp_path) is None
    save_familiar(tmp_path, known)
    again = load_familiar(tmp_path)
    assert again is not None
    assert again.unlikeness(scene(3)) == known.unlikeness(scene(3))
    data = bytearray((tmp_path / FILE).read_bytes())
    data[-1] ^= 1
    (tmp_path / FILE).write_bytes(bytes(data))
    with pytest.raises(DataError, match="damaged"):
        load_familiar(tmp_path)


def test_a_warning_names_the_picture_and_the_score(known) -> None:
    score, warning = warn_unlike(known, {"now.png": scene(7), "goal.png": scene(7, ground=230)})
    assert score["now.png"] < UNLIKE < score["goal.png"]
    assert warning.startswith("goal.png: is unlike the pictures")
    assert warn_unlike(known, {"now.png": scene(7)})[1] == ""
    assert warn_unlike(None, {"now.png": scene(7)}) == ({}, "")


def test_pictures_that_are_all_alike_are_known_too() -> None:
    class Alike(Discs):
        def clips(self, index_B: np.ndarray) -> Clips:
            frames = np.broadcast_to(scene(1), (len(index_B), 5, 48, 64, 3))
            return Clips(frames, np.zeros((len(index_B), 4, 6), np.float32))

    buffer: Buffer = Alike()  # type: ignore[assignment]
    alike = get_to_know(buffer)
    assert alike.unlikeness(scene(1)) <= 1
    assert alike.unlikeness(scene(1, ground=200)) > UNLIKE
