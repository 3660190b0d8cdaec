"""The report on slots that see perfectly, and on slots with one fault each."""

import dataclasses
import json

import numpy as np
import pytest

from ncs.health.guides import GUIDES
from ncs.health.measure import cell_cover
from ncs.health.page import grade, health_page, verdict
from ncs.health.report import Evidence, Truth, examine

CLIPS, FRAMES, OBJECTS, SIDE = 6, 5, 3, 16


def perfect_evidence() -> tuple[Evidence, Truth]:
    """What a model would say that sees three cubes as they are; a fourth slot has the floor."""
    rng = np.random.default_rng(0)
    corners = np.array([(y, x) for y in (2, 18, 34, 50) for x in (2, 18, 34, 50)])
    segment = np.zeros((CLIPS, FRAMES, 64, 64), np.uint8)
    moved = rng.integers(OBJECTS, size=(CLIPS, FRAMES - 1))
    place = np.zeros((CLIPS, FRAMES, OBJECTS + 1, 2), np.float32)
    for b in range(CLIPS):
        cell = rng.permutation(16)[:OBJECTS]
        for t in range(FRAMES):
            if t:
                cell[moved[b, t - 1]] = rng.choice(np.setdiff1d(np.arange(16), cell))
            for n, (top, left) in enumerate(corners[cell]):
                segment[b, t, top : top + 13, left : left + 13] = n + 1
            place[b, t, :OBJECTS] = corners[cell] / 64
    cover = np.array([[cell_cover(s, OBJECTS, SIDE**2) for s in clip] for clip in segment])
    cover = np.where(cover > 0.2, 1.0, 0.0)  # crisp, as attention is
    mask = np.concatenate([cover, 1 - cover.sum(axis=2, keepdims=True)], axis=2)
    colour = np.tile(np.eye(3, dtype=np.float32), (CLIPS, 1, 1))
    kind = np.concatenate([colour, np.zeros((CLIPS, 1, 3), np.float32)], axis=1)
    evidence = Evidence(
        mask=mask.astype(np.float32),
        presence=np.ones((CLIPS, FRAMES, OBJECTS + 1), bool),
        kind=np.repeat(kind[:, None], FRAMES, axis=1),
        state=place,
        picked=moved.copy(),
        pair_mask=mask[:, [0, -1]].astype(np.float32),
        pair_presence=np.ones((CLIPS, 2, OBJECTS + 1), bool),
        match=np.tile(np.arange(OBJECTS + 1), (CLIPS, 1)),
        guess=place,
    )
    return evidence, Truth(segment, moved, colour, place[:, :, :OBJECTS].copy())


PERFECT, TRUTH = perfect_evidence()


def test_perfect_slots_are_healthy_in_every_figure() -> None:
    report = examine(PERFECT, TRUTH)
    assert report.ailing == []
    for name in ("found", "found_frames", "found_alone", "isolate", "type_matching"):
        assert report.figures[name] == 1.0
    assert report.figures["type_drift"] == report.figures["state_rest"] == 0.0
    assert report.lookalikes == 0.0


def test_the_order_of_slots_is_of_no_account() -> None:
    order = np.array([3, 1, 0, 2])
    place = np.argsort(order)  # where each slot has gone
    shuffled = dataclasses.replace(
        PERFECT,
        mask=PERFECT.mask[:, :, order],
        kind=PERFECT.kind[:, :, order],
        state=PERFECT.state[:, :, order],
        guess=PERFECT.guess[:, :, order],
        picked=place[PERFECT.picked],
        pair_mask=PERFECT.pair_mask[:, :, order],
        match=place[PERFECT.match[:, order]],
    )
    assert examine(shuffled, TRUTH).figures == pytest.approx(examine(PERFECT, TRUTH).figures)


def test_place_errors_are_those_of_found_objects_alone() -> None:
    guess = PERFECT.guess.copy()
    guess[:, :, :2] += np.array([0.03, 0.04], np.float32)
    guess[:, :, OBJECTS] = 9.0  # the floor's slot is nobody's
    far = examine(dataclasses.replace(PERFECT, guess=guess), TRUTH).figures
    assert far["place_error"] == pytest.approx(0.05, abs=1e-6)
    presence = PERFECT.presence.copy()
    presence[:, :, :2] = False  # now the two that are misplaced are not found at all
    lost = examine(dataclasses.replace(PERFECT, guess=guess, presence=presence), TRUTH).figures
    assert lost["place_error_95"] == 0.0


def test_a_wrong_pick_is_isolates_fault_alone() -> None:
    picked = PERFECT.picked.copy()
    picked[0] = (picked[0] + 1) % OBJECTS
    report = examine(dataclasses.replace(PERFECT, picked=picked), TRUTH)
    assert report.figures["isolate"] == pytest.approx(1 - 1 / CLIPS)
    assert report.ailing == ["isolate"]


def test_swapped_partners_are_matchings_fault_alone() -> None:
    match = PERFECT.match.copy()
    match[:, [0, 1]] = match[:, [1, 0]]
    report = examine(dataclasses.replace(PERFECT, match=match), TRUTH)
    assert report.figures["type_matching"] == pytest.approx(1 / 3)
    assert report.ailing == ["type_matching", "type_matching_distinct"]


def test_lookalikes_are_left_out_of_the_distinct_figure() -> None:
    colour, match = TRUTH.colour.copy(), PERFECT.match.copy()
    colour[:, 1] = colour[:, 0]
    match[:, [0, 1]] = match[:, [1, 0]]
    evidence, truth = (
        dataclasses.replace(PERFECT, match=match),
        dataclasses.replace(TRUTH, colour=colour),
    )
    report = examine(evidence, truth)
    assert report.figures["type_matching_distinct"] == 1.0
    assert report.lookalikes == pytest.approx(2 / 3)


def test_a_type_that_moves_with_its_object_drifts() -> None:
    kind = np.concatenate([PERFECT.kind, 10 * PERFECT.state], axis=-1)
    report = examine(dataclasses.replace(PERFECT, kind=kind), TRUTH)
    assert report.figures["type_drift"] > 0.5
    assert "type_drift" in report.ailing


def test_states_that_wander_do_not_rest() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=PERFECT.state.shape).astype(np.float32)
    report = examine(dataclasses.replace(PERFECT, state=PERFECT.state + noise), TRUTH)
    assert "state_rest" in report.ailing


def test_transitions_without_a_move_are_passed_over() -> None:
    still = dataclasses.replace(TRUTH, moved=np.full_like(TRUTH.moved, -1))
    report = examine(PERFECT, still)
    assert np.isnan(report.figures["isolate"])
    assert report.to_json()["figures"]["isolate"]["value"] is None


def test_without_the_truth_what_slots_say_of_one_another_is_told_and_nothing_else() -> None:
    report = examine(PERFECT, None)
    assert set(report.figures) == {"type_drift", "state_rest", "largest_share", "sharing"}
    assert report.ailing == []
    assert (report.n_objects, report.lookalikes) == (None, None)
    assert json.loads(json.dumps(report.to_json(), allow_nan=False))["objects"] is None
    assert "without ground truth" in health_page("Health", [report], {})
    wandering = dataclasses.replace(
        PERFECT, state=np.random.default_rng(1).normal(size=(6, 5, 4, 2))
    )
    assert examine(wandering, None).ailing == ["state_rest"]


def test_every_figure_has_its_advice_in_the_json_and_on_the_page() -> None:
    report = examine(PERFECT, TRUTH)
    values = json.loads(json.dumps(report.to_json(), allow_nan=False))
    page = health_page("Health <of> slots", [report], {"3 objects": b"png"})
    assert set(values["figures"]) == set(GUIDES)
    for name, guide in GUIDES.items():
        assert values["figures"][name]["try"] == guide.remedy
        assert guide.title in page
    assert "Health &lt;of&gt; slots" in page
    assert "data:image/png;base64," in page


def test_the_verdict_comes_first_and_words_fit_values() -> None:
    good = examine(PERFECT, TRUTH)
    assert verdict(good) == f"It sees well: all {len(good.figures)} figures are as they should be."
    figures = {**good.figures, "found": 0.86, "isolate": 0.6, "mask_iou": 0.1}
    poor = dataclasses.replace(good, figures=figures)
    assert [grade(poor, name) for name in ("found", "isolate", "mask_iou", "sharing")] == [
        "nearly good",
        "short",
        "poor",
        "good",
    ]
    page = health_page("Health", [poor], {})
    assert verdict(poor).startswith("It sees well but for some things: ")
    assert page.index(verdict(poor)) < page.index("<table>")
    assert GUIDES["found"].bad in page
    assert GUIDES["sharing"].bad not in page


def test_no_figure_speaks_of_one_beside_it() -> None:
    """The page and the viewer put figures in an order of their own."""
    for name, guide in GUIDES.items():
        texts = (guide.title, guide.bad, guide.remedy)
        assert not any("figure above" in t or t.startswith("The same") for t in texts), name
