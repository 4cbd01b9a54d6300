"""The items of all papers, in the order of the report."""

from . import (
    ankle,
    clusters,
    delassus_robots,
    delassus_scaling,
    hard_and_soft,
    loop_convergence,
    loop_graph,
    loop_scaling,
    loop_table,
    osim,
    proximal,
)

ITEMS = (
    *loop_table.ITEMS,
    *loop_graph.ITEMS,
    *loop_scaling.ITEMS,
    *loop_convergence.ITEMS,
    *clusters.ITEMS,
    *ankle.ITEMS,
    *delassus_scaling.ITEMS,
    *delassus_robots.ITEMS,
    *osim.ITEMS,
    *hard_and_soft.ITEMS,
    *proximal.ITEMS,
)
