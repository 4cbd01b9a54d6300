"""Constrained dynamics, one file per algorithm of the papers, and the parts that only they need."""
