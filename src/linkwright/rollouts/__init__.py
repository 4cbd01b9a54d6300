"""Rollouts of many samples: in chunks, on threads, processes or a cluster, into memory or files that outlive it."""

from .rolled_out import RolledOut, open_rollout
from .rolling import rollout

__all__ = ["RolledOut", "open_rollout", "rollout"]
