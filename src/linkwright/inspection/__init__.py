"""A mechanism looked at before computing with it: facts about its structure, and what algorithms cost on it."""

from .costs import AlgorithmCost, algorithm_costs, cheapest
from .facts import ClosureCheck, ClusterFacts, Inspection, inspect

__all__ = ["AlgorithmCost", "ClosureCheck", "ClusterFacts", "Inspection", "algorithm_costs", "cheapest", "inspect"]
