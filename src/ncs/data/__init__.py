"""Room 2 of 12. Takes steps, gives episodes and a buffer of clips."""
