"""What these tests share: robogym's own meshes and the authors' frames, where they are at hand."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"  # beside the repository; not part of it


@pytest.fixture(scope="session")
def robogym_meshes() -> Path:
    """The folder of the paper's 94 meshes."""
    if not (SHARED / "meshes" / "ycb").is_dir():
        pytest.skip("robogym's meshes are not beside the repository (../shared/meshes)")
    return SHARED / "meshes"


@pytest.fixture(scope="session")
def authors_frames() -> list[Path]:
    """Pictures of the world that a co-author published."""
    frames = sorted((SHARED / "reference_frames").glob("*.png"))
    if not frames:
        pytest.skip("the authors' frames are not beside the repository (../shared)")
    return frames


@pytest.fixture(autouse=True)
def _no_chosen_meshes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests start from the package's own meshes, whatever the user has chosen."""
    monkeypatch.delenv("NCS_MESHES", raising=False)
