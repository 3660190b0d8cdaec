"""A world model in one file, outside the package."""

from tests.tiny_world import Tiny, TinyConfig

from ncs.registry import ModelClasses


class Small(Tiny):
    """A model that ncs has never heard of."""


MODEL = ModelClasses(TinyConfig, Small)
