"""Compiled MuJoCo models, and states in MuJoCo's layout."""
