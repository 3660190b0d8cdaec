"""Buffers for others: folders of pictures, arrays, Minari, LeRobot."""
