"""The items of all papers, in the order of the report, and those beyond them."""

from . import (
    ankle,
    beyond_accuracy,
    beyond_peak,
    beyond_steps,
    chains_and_ladders,
    cluster_growth,
    delassus_orders,
    delassus_robots,
    delassus_scaling,
    embedded_loops,
    hard_and_soft,
    loop_convergence,
    loop_graph,
    loop_growth,
    loop_table,
    osim,
    proximal_solvers,
    soft_accuracy,
)

_MODULES = (
    loop_table, loop_graph, loop_growth, loop_convergence, embedded_loops, cluster_growth, ankle, delassus_orders,
    delassus_scaling, delassus_robots, osim, hard_and_soft, soft_accuracy, chains_and_ladders, proximal_solvers,
    beyond_accuracy, beyond_peak, beyond_steps,
)  # fmt: skip
ITEMS = tuple(item for module in _MODULES for item in module.ITEMS)
