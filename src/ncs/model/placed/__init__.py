"""The fast world model: slots that are a type and a place."""
