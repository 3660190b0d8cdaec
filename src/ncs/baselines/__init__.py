"""Room 8 of 12. Rivals: other policies behind the same protocol."""

MODELS = {  # what 'ncs train-rival' trains
    "bc": "ncs.baselines.cloning:MODEL",
    "iql": "ncs.baselines.iql:MODEL",
    "gcivl": "ncs.baselines.gcivl:MODEL",
}
