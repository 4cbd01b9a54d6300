"""Some samples of a rollout, computed together: the unit of work, of storage and of loss.

How samples are cut into chunks follows from the rollout alone, not from threads, workers or what was done before; and a
sample has the same bits in whatever chunk it is.
"""

from __future__ import annotations

import numpy as np

from ..sim.prepared import Prepared
from ..sim.rollout import Rollout

CHUNK_BYTES = 2**26  # of recorded states and outputs, about; small enough to lose, large enough for files
MOST_SAMPLES = 4096
LANES = 8  # of the widest machine, so that none has blocks that are partly empty
OUTPUT_SIZE = 64  # numbers of an output, about
NEVER = -1  # where a sample did not diverge
NOT_FINITE = 3.0
STATUS = "step_status"  # where that of every step is asked for beside that of samples

Arrays = dict[str, np.ndarray]


def chunk_size(prepared: Prepared) -> int:
    """Samples of a chunk: as many as make files of a size that is easily written, and easily lost."""
    row = 8 * (prepared.model.nq + prepared.model.nv + OUTPUT_SIZE * len(prepared.kept))
    wanted = CHUNK_BYTES // (row * -(-prepared.steps // prepared.every))
    return int(np.clip(wanted // LANES * LANES, LANES, MOST_SAMPLES))


def computed(prepared: Prepared, threads: int | str = 1) -> Arrays:
    """q (B, T + 1, nq), v, the outputs asked for (B, T, ...) (that of every step, if asked for, as `step_status`),
    `status` (B,), the worst of all steps, and `diverged` (B,), the first step after which a state is not finite, or -1.

    Samples that diverge are kept as they are; they do not disturb others.
    """
    step = prepared.step(threads=threads)
    with np.errstate(all="ignore"):
        found = Rollout(prepared, step, diverging="keep").at_once()
    fine = np.isfinite(found.q).all(axis=-1) & np.isfinite(found.v).all(axis=-1)
    first = np.argmin(fine, axis=1)
    diverged = np.where(fine.all(axis=1), NEVER, np.minimum(first * prepared.every, prepared.steps))
    arrays = {STATUS if name == "status" else name: found.outputs[name] for name in prepared.kept}
    status = np.where(diverged == NEVER, found.worst[..., 3], NOT_FINITE)
    return {"q": found.q, "v": found.v, **arrays, "status": status, "diverged": diverged.astype(np.int64)}
