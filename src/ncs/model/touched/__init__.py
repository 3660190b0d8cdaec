"""The world model that learns what a thing is from what actions move."""
