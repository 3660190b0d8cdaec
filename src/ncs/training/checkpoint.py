"""A trained model as a folder that anyone can load safely, and that no crash can spoil.

    DIR/
      model.json                     step, settings, buffer, code, and SHA-256 of the two below
      weights-00004000.safetensors   what ``load_model`` needs
      state-00004000.safetensors     what ``--resume`` needs as well: the optimiser's moments, and
                                     the raw weights where the others are a running mean

``model.json`` is renamed into place after both files are on disk, and older files go after that:
at any moment it names a whole checkpoint. Random streams need no state (see ``plan``): the seed
and the step are all there is to them.
"""

import contextlib
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook

import ncs
from ncs.bounded import check_finite, inside
from ncs.model.build import build_model
from ncs.model.contract import Trainable, WorldModel
from ncs.records import ConfigError, DataError
from ncs.registry import check_written
from ncs.settings import checked
from ncs.storage import (
    brief,
    digest_file,
    digest_json,
    read_arrays,
    read_json,
    remove_leftovers,
    write_arrays,
    write_json,
)
from ncs.training.manifest import Manifest
from ncs.training.schedule import TrainConfig

FORMAT = 1
MANIFEST = "model.json"
KINDS = ("weights", "state")
SPARE = 1_000_000  # numbers that a model may hold beyond its weights while it is built
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Snapshot:
    """A training run at one step, ready to be written or gone on from."""

    step: int
    config: TrainConfig
    buffer: Mapping[str, Any]  # hash, world and clips of what it learns from
    weights: Arrays
    state: Arrays
    notes: Mapping[str, Any] = field(default_factory=dict)  # small facts the loop wants back


def to_arrays(tensors: Mapping[str, Tensor]) -> Arrays:
    """Tensors as arrays of their own memory."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()}


def write_checkpoint(folder: Path, snapshot: Snapshot) -> None:
    """Puts a snapshot in a folder in place of the one before."""
    files = {}
    for kind in KINDS:
        name = f"{kind}-{snapshot.step:08d}.safetensors"
        # Their SHA-256 is taken from the bytes in memory, so a disk that garbles them is found out.
        files[kind] = {
            "name": name,
            "sha256": write_arrays(folder / name, getattr(snapshot, kind), {"step": snapshot.step}),
        }
    write_json(
        folder / MANIFEST,
        {
            "format": FORMAT,
            "step": snapshot.step,
            "config": snapshot.config.model_dump(mode="json"),
            "buffer": dict(snapshot.buffer),
            "code": {"ncs": ncs.__version__, "torch": torch.__version__},
            "files": files,
            "notes": dict(snapshot.notes),
        },
    )
    remove_others(folder, {entry["name"] for entry in files.values()})


def remove_others(folder: Path, keep: set[str]) -> None:
    """Deletes checkpoint files that no manifest names, and what a killed writer left."""
    for kind in KINDS:
        for path in folder.glob(f"{kind}-*.safetensors"):
            if path.name not in keep:
                path.unlink(missing_ok=True)
    remove_leftovers(folder)


def has_checkpoint(folder: Path) -> bool:
    """Whether a folder holds a checkpoint, whole or damaged."""
    return (folder / MANIFEST).exists()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a checkpoint, its shape checked."""
    path = folder / MANIFEST
    if not path.exists():
        raise DataError(f"{folder}: holds no trained model; make one with 'ncs train'")
    manifest = read_json(path)
    if manifest.get("format") != FORMAT:
        raise DataError(f"{path}: format {manifest.get('format')!r}, this ncs reads {FORMAT}")
    checked(Manifest, manifest, path, "the manifest of a trained model")
    buffer = manifest["buffer"]
    check_written(path, "world", buffer.get("worlds") or [buffer["world"]])
    return manifest


def trained_worlds(folder: Path) -> tuple[str, ...]:
    """The worlds whose clips a checkpoint was trained on."""
    buffer = read_manifest(folder)["buffer"]
    return tuple(map(str, buffer.get("worlds") or [buffer["world"]]))


def check_world(folder: Path, world: str) -> None:
    """Refuses a checkpoint that has never seen a world."""
    worlds = trained_worlds(folder)
    if world not in worlds:
        raise ConfigError(f"{folder}: was trained on {' and '.join(worlds)}, not on {world}")


def read_config(folder: Path) -> TrainConfig:
    """The settings a checkpoint was trained with, checked like any user's."""
    return _parse_config(folder, read_manifest(folder))


def _parse_config(folder: Path, manifest: dict[str, Any]) -> TrainConfig:
    try:
        return TrainConfig(**manifest["config"])
    except ConfigError as error:
        raise DataError(f"{folder / MANIFEST}: {error}") from None


def _file_of(folder: Path, manifest: dict[str, Any], kind: str) -> Path:
    """One of the two files of a checkpoint, if it is the one that was written."""
    entry = manifest["files"][kind]
    path = inside(folder, entry["name"])
    if digest_file(path) != entry["sha256"]:
        raise DataError(f"{path}: damaged (checksum differs); restore it or train again")
    return path


def _read_file(folder: Path, manifest: dict[str, Any], kind: str) -> Arrays:
    path = _file_of(folder, manifest, kind)
    arrays = read_arrays(path)[0]
    if kind == "weights":
        check_finite(path, arrays)
    return arrays


def read_weights(folder: Path) -> Arrays:
    """The weights of a checkpoint; a damaged file is refused by name."""
    return _read_file(folder, read_manifest(folder), "weights")


def read_checkpoint(folder: Path) -> Snapshot:
    """Everything in a checkpoint; a damaged or missing file is refused by name."""
    manifest = read_manifest(folder)
    if not (folder / manifest["files"]["state"]["name"]).exists():
        raise DataError(
            f"{folder}: has weights but no optimiser state, so training cannot go on from it; "
            "start a new run in another folder"
        )
    return Snapshot(
        step=manifest["step"],
        config=_parse_config(folder, manifest),
        buffer=manifest["buffer"],
        weights=_read_file(folder, manifest, "weights"),
        state=_read_file(folder, manifest, "state"),
        notes=manifest["notes"],
    )


def checkpoint_hash(folder: Path) -> str:
    """Twelve hex digits that change with the network's settings and any weight."""
    manifest = read_manifest(folder)
    config, entry = manifest["config"], manifest["files"]["weights"]
    _file_of(folder, manifest, "weights")
    return digest_json([config.get("model"), config.get("network"), entry["sha256"]])[:12]


def fill(module: nn.Module, weights: Arrays, path: Path) -> None:
    """Puts arrays into a module's parameters and buffers; names and shapes must agree.

    What a module says its older files may lack stays as it is.
    """
    may_lack: frozenset[str] = getattr(module, "may_lack", frozenset())
    expected = {
        name: tensor
        for name, tensor in module.state_dict().items()
        if name in weights or name.rpartition(".")[2] not in may_lack
    }
    if missing := sorted(set(expected) ^ set(weights)):
        raise DataError(f"{path}: does not fit its settings ({missing[0]} is missing or too much)")
    tensors = {}
    for name, tensor in expected.items():
        # A scalar comes back from disk as an array of one.
        array = weights[name].reshape(()) if weights[name].shape == (1,) else weights[name]
        array = array.reshape(1) if tensor.shape == (1,) else array
        if tuple(tensor.shape) != array.shape:
            raise DataError(
                f"{path}: {name} has shape {array.shape}, its settings ask for "
                f"{tuple(tensor.shape)}"
            )
        if tensor.is_floating_point() != (array.dtype.kind == "f"):
            raise DataError(f"{path}: {name} is of type {array.dtype}, not {tensor.dtype}")
        tensors[name] = torch.from_numpy(np.array(array))
    module.load_state_dict(tensors, strict=False)


def load_model(folder: Path, device: str | torch.device = "cpu") -> WorldModel:
    """The trained world model in a folder, ready for use.

    Safe on a folder from anyone: nothing in it is executed, its settings are checked like any
    user's, and a file that was changed is refused by name.
    """
    model = load_trained(folder, device)
    if not isinstance(model, WorldModel):
        name = read_config(folder).model
        raise DataError(f"{folder}: holds {name}, which is no world model; see 'ncs train'")
    return model


def load_trained(folder: Path, device: str | torch.device = "cpu") -> Trainable:
    """Whatever was trained in a folder, as safely as ``load_model``."""
    manifest = read_manifest(folder)
    config = _parse_config(folder, manifest)
    weights = _read_file(folder, manifest, "weights")
    with torch.random.fork_rng([]), _building(folder), at_most(weights, folder / MANIFEST):
        model = build_model(config.model, config.network)
    fill(model, weights, folder / manifest["files"]["weights"]["name"])
    return model.eval().to(device)


@contextlib.contextmanager
def _building(folder: Path) -> Any:
    try:
        yield
    except (MemoryError, RuntimeError, ValueError) as error:
        raise DataError(
            f"{folder / MANIFEST}: no model can be built from its settings ({brief(error)})"
        ) from None


@contextlib.contextmanager
def at_most(weights: Arrays, path: Path) -> Iterator[None]:
    """Ends the building of a model that grows beyond the weights that are there to fill it.

    Settings of a stranger may ask for more than the machine has; the weights cannot.
    """
    room = 2 * sum(array.size for array in weights.values()) + SPARE
    builder, grown = threading.get_ident(), 0

    def count(_: nn.Module, name: str, parameter: nn.Parameter) -> None:
        nonlocal grown
        if threading.get_ident() == builder and parameter is not None:
            grown += parameter.numel()
            if grown > room:
                raise DataError(f"{path}: its settings ask for a larger model than its weights")

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        hook.remove()
