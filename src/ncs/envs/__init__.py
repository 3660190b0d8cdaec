"""Room 1 of 8. Takes actions, gives pixels."""
