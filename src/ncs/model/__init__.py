"""Room 3 of 8. Takes pixels, gives entities."""
