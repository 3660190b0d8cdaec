"""Room 4 of 12. Takes a model and a buffer, gives a checkpoint folder."""
