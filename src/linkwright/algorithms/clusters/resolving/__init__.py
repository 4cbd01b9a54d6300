"""Loops solved for their independent coordinates, step by step.

A cluster's constraints are resolved one after the other: each step finds some dependent coordinates from those known so
far, by a formula where there is one (gears, functions of y, a four-bar) and by Newton's method where there is none.
"""
