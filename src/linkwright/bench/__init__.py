"""Measuring: timing that survives noise, peers to compare with, one module per family of algorithms."""
