"""Links and joints as URDF and SDF both describe them: placement, what closes loops, collision shapes."""
