"""MJCF, read by way of MuJoCo's compiler, and written."""
