"""What the page shows is all there, or says why it is not."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tests.web.conftest import FOLDER

from ncs.agent import Trained
from ncs.records import ConfigError
from ncs.web import payloads
from ncs.web.payloads import graph_payload, large_url, tsne_payload


def test_a_graph_of_three_nodes_has_no_tsne_and_says_so() -> None:
    graph = Trained.load(FOLDER).graph
    few = type(graph)(
        node=graph.node[:3], action=graph.action[:3, :3], count=graph.count[:3, :3],
        mask=graph.mask[:3],
    )  # fmt: skip
    with pytest.raises(ConfigError, match="t-SNE needs four nodes at least"):
        tsne_payload(few)
    assert all(edge["spread"] is None for edge in graph_payload(few)["edges"])
    assert len(graph_payload(graph)["nodes"]) == len(graph.node)


def test_small_pictures_are_enlarged_and_large_ones_are_not() -> None:
    for side, shown in ((64, 256), (128, 256), (300, 300)):
        data = base64.b64decode(large_url(np.zeros((side, side, 3), np.uint8)).partition(",")[2])
        assert Image.open(io.BytesIO(data)).size == (shown, shown)


def test_a_result_file_is_read_once_for_all_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []
    monkeypatch.setattr(payloads, "read_results", lambda path: read.append(path) or [])
    assert payloads.result_payloads(tmp_path / "rows.jsonl") == []
    assert len(read) == 1
