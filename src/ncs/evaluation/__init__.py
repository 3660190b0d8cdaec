"""Room 9 of 12. Takes a policy and frozen tasks, gives results."""
