"""Loops embedded in independent coordinates: C-RNEA, C-ABA, C-EFPA on clusters of bodies."""
