"""Room 8 of 8. Takes results and traces on disk, gives tables and pictures."""
