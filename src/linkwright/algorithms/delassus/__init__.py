"""The Delassus matrix J M^-1 J' and its inverse, one file per algorithm, and what their sweeps share."""
