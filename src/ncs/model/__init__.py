"""Room 3 of 12. Takes pixels, gives entities."""
