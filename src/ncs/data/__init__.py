"""Room 2 of 8. Takes steps, gives episodes and a buffer of clips."""
