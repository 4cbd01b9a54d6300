"""The items of all papers, in the order of the report."""

from . import (
    ankle,
    chains_and_ladders,
    cluster_growth,
    clusters,
    delassus_orders,
    delassus_robots,
    delassus_scaling,
    hard_and_soft,
    loop_convergence,
    loop_graph,
    loop_scaling,
    loop_table,
    osim,
    proximal,
    soft_accuracy,
)

_MODULES = (
    loop_table, loop_graph, loop_scaling, loop_convergence, clusters, cluster_growth, ankle, delassus_orders,
    delassus_scaling, delassus_robots, osim, hard_and_soft, soft_accuracy, chains_and_ladders, proximal,
)  # fmt: skip
ITEMS = tuple(item for module in _MODULES for item in module.ITEMS)
