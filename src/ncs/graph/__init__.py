"""Room 4 of 8. Takes entity transitions, gives a Graph."""
