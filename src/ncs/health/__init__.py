"""Room 10 of 12. Takes a model and clips, says and shows how well it sees."""
