"""An agent behind HTTP, for a robot's loop: two pictures go in, the next pick and place comes out.

Joins the rooms, as ``cli`` and ``web`` do.
"""
