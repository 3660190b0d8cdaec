"""Room 5 of 8. Takes entities, a goal and a Graph, gives an action."""
