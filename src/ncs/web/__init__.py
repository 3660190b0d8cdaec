"""The viewer: a page on this machine that shows an agent at work. Joins the rooms, as cli does.

``app`` answers requests (``schemas``), ``jobs`` is the one thread that does the work, ``episodes``
and ``payloads`` are the work, ``sessions`` are the episodes under way, ``catalogue`` knows models,
graphs and results by name, ``guard`` turns strangers away. ``static`` is the page.
"""
