"""What single and double precision mean to a constrained solver.

Answers may be off by 1e-6 of the largest acceleration in double precision, by 1e-3 in single. Single-precision
arithmetic has seven digits; penalties take three of them, a direction of the constraints near the rank tolerance three
more, masses that differ by a hundred another two. So what promises right answers, the default of every solver, computes
in double precision for arrays of floats, too: what it reads and writes is single, and so is what it asks of an answer.
Counted iterations and penalties alone promise nothing, and compute in the precision of their arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

SINGLE, DOUBLE = "float32", "float64"
# Relative errors from digits lost that are flagged, in units of the rounding of one number, by the precision of the
# arithmetic. Estimates are high by a factor of ten or more (lost_digits.py), so these are, too. Answers in
# single precision may lose three digits more. Where evidence is asked for (evidence.py) it is asked for
# earlier, and with the inertia matrix of joints, where masses cost up to the square of their ratio, as early as in
# double precision.
_MOST_LOST = {DOUBLE: 1e10, SINGLE: 5e4}
_MORE_FOR_SINGLE = {"lcaba": 1e3, "constrained_aba": 1e3, "ltl": 1.0, "prox_ltl": 1.0}
_MORE_WITH_EVIDENCE = 1e2

# Heavy loads on light links cost digits that articulated inertias with penalties do not show. By typical poses of the
# model (`usually_lost_to_masses`), from here on answers were found to be off, with a load 1e7 to 1e9 times as heavy.
_MOST_LOST_TO_MASSES = {DOUBLE: 3e11, SINGLE: 1e12}


@dataclass(frozen=True)
class Precision:
    """`answer`, that of arrays, and `arithmetic`, that of computing."""

    answer: str = DOUBLE
    arithmetic: str = DOUBLE

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Precision:
        answer = options.get("precision", DOUBLE)
        return cls(answer, options.get("arithmetic", answer))

    @property
    def rounding(self) -> float:
        return float(np.finfo(self.arithmetic).eps)

    def most_lost(self, solver: str) -> float:
        """Digits, see lost_digits.py, that an answer that is ok may have lost."""
        more = _MORE_FOR_SINGLE.get(solver, _MORE_WITH_EVIDENCE) if self.answer != self.arithmetic else 1.0
        return _MOST_LOST[self.arithmetic] * more

    @property
    def most_lost_to_masses(self) -> float:
        """The same of what masses usually cost solvers with penalties in their inertias."""
        return _MOST_LOST_TO_MASSES[self.answer]
