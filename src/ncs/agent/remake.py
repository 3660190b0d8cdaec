"""Takes a row of results, gives the method that played it: from its settings and its hashes."""

import functools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ncs.agent.factory import FactoryMethod, hash_of
from ncs.agent.learned import LearnedMethod, MpcMethod, NcsMethod, NfMethod, PixelMethod
from ncs.agent.methods import OracleMethod, RandomMethod
from ncs.agent.options import RIVALS
from ncs.baselines.rival import load_policy
from ncs.evaluation.method import Method
from ncs.graph.store import graph_hash, load_graph
from ncs.records import Checkpoint, DataError, NcsError, Result
from ncs.registry import check_allowed
from ncs.storage import digest_file
from ncs.training.checkpoint import checkpoint_hash

LOOKING: dict[str, type[LearnedMethod]] = {"ncs": NcsMethod, "nf": NfMethod, "mpc": MpcMethod}
PLAIN: dict[str, type[Method]] = {"random": RandomMethod, "oracle": OracleMethod}
DEPTH = 2  # folders below the given ones in which models are looked for


class Shelf:
    """Folders in which models may be, found by the hashes that rows carry."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Looks at every folder, models or folders of models, once."""
        self._folders = [inner for folder in folders for inner in _below(folder, DEPTH)]

    def method(self, row: Result) -> Method:
        """The method of a row; refuses one whose parts are not here."""
        about = {"name": row.method, "label": row.label}
        if row.method in PLAIN:
            return PLAIN[row.method](**about)
        if not row.settings and row.method in LOOKING:
            raise DataError(f"{row.method}: rows without settings are of an old version")
        facts = {**row.settings, **about, "checkpoint": _checkpoint(row)}
        if row.method in LOOKING:
            return self._looking(row, facts)
        if row.method in RIVALS:
            return PixelMethod.model_validate({**facts, "model": self._rival(row)})
        return self._foreign(row)

    def _looking(self, row: Result, facts: dict[str, Any]) -> Method:
        folder = self._model(row.weights)
        where: dict[str, Any] = {"model": folder, "world": row.world}
        if row.graph:
            where["graph"] = self._graph(folder, row.weights, row.graph)
        if row.sets:
            where["sets"] = _sets(folder, row.sets)
        return LOOKING[row.method].model_validate({**facts, **where})

    @functools.lru_cache(maxsize=64)  # noqa: B019 - one shelf a command
    def _model(self, weights: str) -> Path:
        for folder in self._folders:
            try:
                if checkpoint_hash(folder) == weights:
                    return folder
            except NcsError:
                continue
        raise self._not_here(weights)

    def _graph(self, folder: Path, weights: str, wanted: str) -> Path:
        """A graph in the model's folder, or in one of the given folders that holds no model."""
        loose = (path for path in self._folders if not (path / "model.json").exists())
        found = [*sorted(folder.glob("graph*.safetensors"))]
        found += [file for path in loose for file in sorted(path.glob("*.safetensors"))]
        for path in found:
            try:
                if graph_hash(load_graph(path, weights))[: len(wanted)] == wanted:
                    return path
            except NcsError:
                continue
        raise DataError(
            f"{folder}: holds no graph {wanted}; name the folder that has it with --models"
        )

    def _rival(self, row: Result) -> Path:
        for folder in self._folders:
            try:
                if load_policy(folder).checkpoint == row.weights:
                    return folder
            except NcsError:
                continue
        raise self._not_here(row.weights)

    def _foreign(self, row: Result) -> Method:
        """A policy of somebody's own; its file must be the same as then."""
        check_allowed("policy", row.method)
        model = None
        if row.weights:
            same = (path for path in self._folders if hash_of(path)[:12] == row.weights)
            model = next(same, None)
            if model is None:
                raise self._not_here(row.weights)
        values = dict(row.settings.get("values", {}))
        made = FactoryMethod.of(row.method, row.label, row.world, model, values)
        if made.source != row.settings.get("source", ""):
            raise DataError(f"method: the file of {row.method} is not the one that was judged")
        return made

    def _not_here(self, weights: str) -> DataError:
        return DataError(
            f"no model with the weights {weights} is among {len(self._folders)} folders; name its "
            "folder with --models"
        )


def _below(folder: Path, depth: int) -> Iterator[Path]:
    """A folder and those inside it, down to a depth."""
    yield folder
    if depth and folder.is_dir():
        for inner in sorted(folder.iterdir()):
            if inner.is_dir() and not inner.is_symlink():
                yield from _below(inner, depth - 1)


def _sets(folder: Path, wanted: str) -> Path:
    for path in sorted(folder.glob("sets*.safetensors")):
        if digest_file(path)[: len(wanted)] == wanted:
            return path
    raise DataError(f"{folder}: holds no scenes {wanted}; they were built anew since")


def _checkpoint(row: Result) -> Checkpoint:
    return Checkpoint(row.weights, row.graph, row.sets)
