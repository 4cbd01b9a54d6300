"""A mechanism looked at before computing with it: facts about its structure, and what algorithms cost on it."""

from .costs import AlgorithmCost, algorithm_costs, cheapest
from .facts import ClusterFacts, ConstraintCheck, Inspection, inspect
from .mobility_at_pose import Mobility, mobility

__all__ = [
    "AlgorithmCost", "ClusterFacts", "ConstraintCheck", "Inspection", "Mobility", "algorithm_costs", "cheapest",
    "inspect", "mobility",
]  # fmt: skip
