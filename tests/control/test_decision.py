"""Explanations."""

import json

import numpy as np

from ncs.control.decision import Decision, Memory, Pair, explain


def test_an_explanation_survives_json_and_tells_what_is_distrusted():
    memory = Memory(distrusted=frozenset({("edge", 2, 1), ("edge", 0, 3)}))
    decision = Decision(
        action=np.arange(6, dtype=np.float32),
        kind="edge",
        purpose="constraint",
        reason="because",
        pairs=(Pair(goal=1, now=0, cost=0.5, distance=2.0, settled=False, blockers=(4,)),),
        chosen=0,
        moved=0,
        node_from=2,
        node_to=3,
        node_goal=3,
        support=7,
        memory=memory,
    )
    told = json.loads(json.dumps(explain(decision)))
    assert told["action"] == [0, 1, 2, 3, 4, 5]
    assert told["distrusted"] == [["edge", 0, 3], ["edge", 2, 1]]
    assert told["pairs"][0]["blockers"] == [4]
    assert told["support"] == 7
