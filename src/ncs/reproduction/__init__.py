"""Room 12 of 12. Takes a scale, gives the paper done again as one report."""
