"""Room 8 of 12. Rivals: other policies behind the same protocol."""
