"""The items of all papers, in the order of the report."""

from . import delassus_robots, delassus_scaling

ITEMS = (
    *delassus_scaling.ITEMS,
    *delassus_robots.ITEMS,
)
