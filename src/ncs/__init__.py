"""Neural Constraint Satisfaction: rearrange objects from pixels to match a goal picture.

The data walks one way through the rooms:

1. ``envs``        worlds: an action goes in, pixels come out
2. ``data``        memory: steps become episodes, episodes become a buffer of clips
3. ``model``       perception: pixels become entities, each a type and a state
4. ``graph``       abstraction: entity transitions become a graph of states
5. ``control``     decision: entities, a goal and the graph become an action
6. ``baselines``   rivals: other policies behind the same protocol
7. ``evaluation``  judgement: a policy and frozen tasks become results
8. ``analysis``    evidence: results and traces on disk become tables and pictures

``records`` holds what travels between rooms, ``storage`` puts it down safely, ``settings``
checks what a user asks for. Only ``cli`` and ``web`` join the rooms together.
"""

__version__ = "0.1.0"
