"""block-stacking: cubes that stand on each other."""
