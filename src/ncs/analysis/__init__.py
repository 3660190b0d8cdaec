"""Room 11 of 12. Takes results and traces on disk, gives tables and pictures."""
