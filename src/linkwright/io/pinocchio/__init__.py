"""Models and states of Pinocchio."""
