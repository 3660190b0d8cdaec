"""block-rearrange: cubes on a grid, seen from above (PyBullet)."""
