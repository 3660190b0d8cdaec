"""Guides to the figures of the report: by name, what is good, and what to do about bad."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Guide:
    """How to read a figure."""

    title: str
    good: float  # as good as the easier of the paper's worlds asks for
    higher: bool  # whether higher is better
    bad: str  # what a bad value means
    remedy: str


GUIDES = {
    "found": Guide(
        "Objects found by exactly one slot, following clips",
        0.90,
        True,
        "Objects are missed, shared by several slots or lumped together, and every later step "
        "inherits that.",
        "Train longer, give one or two more slots, or look at the masks below for which of the "
        "three it is.",
    ),
    "found_frames": Guide(
        "Frames in which every object is found by exactly one slot",
        0.90,
        True,
        "Most scenes have at least one object that control cannot see properly.",
        "Where single objects are mostly found, a few hard ones spoil many frames: see in the "
        "masks below which; else train longer, or give one or two more slots.",
    ),
    "found_alone": Guide(
        "Objects found by exactly one slot, each image on its own",
        0.90,
        True,
        "Control encodes single images, so it will be blind to the objects missed here.",
        "Use more slot iterations or several initialisations when encoding.",
    ),
    "foreground_ari": Guide(
        "Foreground ARI",
        0.90,
        True,
        "Slots do not follow the borders between objects.",
        "Train longer; if slots cut the image into blobs, use a weaker decoder or fewer slots.",
    ),
    "mask_iou": Guide(
        "Mask IoU",
        0.60,
        True,
        "Masks are larger, smaller or elsewhere than objects; a low value with a high ARI means "
        "that slots also take background.",
        "A finer token grid or a background slot; for control alone a high ARI is enough.",
    ),
    "place_error": Guide(
        "Place error of found objects in metres, median",
        0.012,
        False,
        "Picks and places miss: a pick must come within the world's tolerance of the object.",
        "Train longer, use a finer grid, or read the place from pixels.",
    ),
    "place_error_95": Guide(
        "Place error of found objects in metres, 95th percentile",
        0.03,
        False,
        "Now and then a pick or place misses by most of what is tolerated.",
        "See in the pictures which objects it is: long ones cut in two, or hidden ones.",
    ),
    "isolate": Guide(
        "Transitions in which isolate picks the moved object",
        0.90,
        True,
        "Graph edges are tagged with actions that moved something else.",
        "See whether states of unmoved slots change (below); train longer on clips, or keep slots "
        "on their objects from frame to frame.",
    ),
    "type_drift": Guide(
        "Type change of the moved object, against the distance between objects",
        0.25,
        False,
        "The type still holds where the object is, so a moved object looks like another one.",
        "Train the predictions longer or weigh them more; a type read without positions has no "
        "such leak.",
    ),
    "type_matching": Guide(
        "Objects matched by type between two images",
        0.95,
        True,
        "Align pairs objects with the wrong goals, and control moves them there.",
        "If objects are found, the types are not clean: see the type change, or use a learned "
        "metric in align.",
    ),
    "type_matching_distinct": Guide(
        "Objects matched by type, without those whose colour passes for another's",
        0.97,
        True,
        "Even objects that a person tells apart at once are confused.",
        "See how much the type of a moved object changes, or use a learned metric in align.",
    ),
    "state_rest": Guide(
        "State change of unmoved objects, against that of the moved one",
        0.20,
        False,
        "States wander without cause: isolate and bind will be misled.",
        "More slot iterations when encoding; train longer.",
    ),
    "largest_share": Guide(
        "Share of the image taken by the largest slot",
        0.95,
        False,
        "One slot takes everything and the others stand for nothing.",
        "Start again with another seed, a lower learning rate or a longer warm-up.",
    ),
    "sharing": Guide(
        "How evenly cells are shared between slots (entropy, 0 to 1)",
        0.50,
        False,
        "Slots do not compete: each cell belongs a little to everybody.",
        "Train longer; lower the temperature of the attention or use more iterations.",
    ),
}
