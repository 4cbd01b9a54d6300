"""The items of all papers, in the order of the report."""

from . import delassus_robots, delassus_scaling, hard_and_soft, osim, proximal

ITEMS = (
    *delassus_scaling.ITEMS,
    *delassus_robots.ITEMS,
    *osim.ITEMS,
    *hard_and_soft.ITEMS,
    *proximal.ITEMS,
)
