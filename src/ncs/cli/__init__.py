"""The commands, which walk the rooms in order; only here are rooms joined."""
