"""OGBench's cubes with its arm, as a world of NCS: a plug-in from outside."""
