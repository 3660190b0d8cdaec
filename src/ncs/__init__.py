"""Neural Constraint Satisfaction: rearrange objects from pixels to match a goal picture.

The data walks one way through the rooms:

1. ``envs``          worlds: an action goes in, pixels come out
2. ``data``          memory: steps become episodes, episodes become a buffer of clips
3. ``model``         perception: pixels become entities, each a type and a state
4. ``training``      a model and a buffer become a checkpoint
5. ``graph``         abstraction: entity transitions become a graph of states (Algorithm 1)
6. ``control``       decision: entities, a goal and the graph become an action (Algorithm 2)
7. ``agent``         assembly: what was trained becomes a player
8. ``baselines``     rivals: other policies behind the same protocol
9. ``evaluation``    judgement: a policy and frozen tasks become results
10. ``health``       how well a model sees, in figures and pictures
11. ``analysis``     evidence: results and traces on disk become tables and pictures
12. ``reproduction`` the paper done again, from nothing to a report

``records`` holds what travels between rooms, ``storage`` puts it down safely, ``settings``
checks what a user asks for, ``registry`` knows worlds, models and policies by name, those of
plug-ins too. ``cli`` and ``web`` are the doors.
"""

__version__ = "0.2.0"
