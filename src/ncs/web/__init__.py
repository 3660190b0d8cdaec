"""The viewer: a page on this machine that shows an agent at work. Joins the rooms, as cli does.

``app.create_app`` answers requests, ``studio`` does what they ask on one thread, ``shelf`` knows
which models, graphs and results there are, ``guard`` turns strangers away. ``static`` is the page.
"""
