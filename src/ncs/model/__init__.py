"""Room 3 of 12. Takes pixels, gives entities."""

MODELS = {
    "dslate": "ncs.model.dslate.world:MODEL",
    "touched": "ncs.model.touched.world:MODEL",
}
