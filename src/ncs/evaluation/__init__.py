"""Room 7 of 8. Takes a policy and frozen tasks, gives results."""
