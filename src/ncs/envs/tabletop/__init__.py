"""robogym-rearrange: meshes on a table, seen from above (MuJoCo)."""
