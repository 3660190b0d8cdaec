"""Room 6 of 8. Rivals: other policies behind the same protocol."""
