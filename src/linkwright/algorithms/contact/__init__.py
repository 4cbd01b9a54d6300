"""Contact by MuJoCo's soft law on the recursive solvers."""
