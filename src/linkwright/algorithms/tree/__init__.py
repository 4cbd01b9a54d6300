"""Trees: kinematics and dynamics without constraints, and what is derived from them."""
