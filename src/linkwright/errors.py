"""One exception tree. Every message says what was given, what was expected and what to do about it."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from .printable import printable, printable_lines

_OURS = __name__.partition(".")[0]


class LinkwrightError(Exception):
    """Root of everything Linkwright raises on purpose. What its message quotes from files is made printable."""

    def __init__(self, *arguments: object):
        super().__init__(*(printable_lines(x) if isinstance(x, str) else x for x in arguments))


class LinkwrightWarning(UserWarning):
    """What a model lacks of what its file asks for, told when it is loaded: `Model.not_computed` keeps the list."""


class ModelError(LinkwrightError):
    """A mechanism that cannot be built or whose numbers make no physical sense."""


class InputError(LinkwrightError, ValueError):
    """An argument of a call has the wrong name, shape, type or value."""


class UnsupportedError(LinkwrightError):
    """A valid request that this function does not serve; the message names one that does."""


class TraceError(LinkwrightError, TypeError):
    """Code being traced did something that has no meaning for symbols, such as `if x > 0`."""


class NoConvergence(LinkwrightError):
    """An iteration found no solution; carries what is left over by constraint name, and where it stopped."""

    def __init__(self, message: str, *, residuals: Mapping[str, float] | None = None, q: Any = None):
        super().__init__(message)
        self.residuals, self.q = dict(residuals or {}), q


class CodegenError(LinkwrightError):
    """Machine code could not be generated or loaded."""


class SimulationError(LinkwrightError):
    """A simulation ended before its time; `trajectory` holds what was computed until then."""

    def __init__(self, message: str, trajectory: object = None):
        super().__init__(message)
        self.trajectory = trajectory


class RolloutError(LinkwrightError):
    """A rollout ended before its time; `result` holds the chunks that were finished."""

    def __init__(self, message: str, result: object = None):
        super().__init__(message)
        self.result = result


class RolloutInterrupted(KeyboardInterrupt):
    """Ctrl-C during a rollout; `result` holds the chunks that were finished."""

    def __init__(self, message: str, result: object = None):
        super().__init__(message)
        self.result = result


class MissingExtraError(LinkwrightError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""

    def __init__(self, package: str, extra: str, purpose: str):
        super().__init__(
            f"{purpose} needs the package '{package}', which is not installed. "
            f"Install it with: pip install 'linkwright[{extra}]'"
        )


class LoadError(LinkwrightError):
    """A robot description could not be read; carries where in the file."""

    def __init__(self, message: str, *, file: object = None, line: int | None = None, element: str | None = None):
        self.file, self.line, self.element = file, line, element
        where = ", ".join(
            part
            for part in (
                printable(file) if file is not None else "",
                f"line {line}" if line is not None else "",
                f"<{element}>" if element else "",
            )
            if part
        )
        super().__init__(f"{where}: {message}" if where else message)

    def with_advice(self, advice: str) -> LoadError:
        """The same error at the same place, with what would help at its end."""
        again = LoadError(f"{self}{advice}")
        again.file, again.line, again.element = self.file, self.line, self.element
        return again


def unknown_name(kind: str, given: object, valid: Iterable[str]) -> InputError:
    """The error for a name that is not there: lists the near misses first, then what is valid."""
    names = sorted(valid)
    close = difflib.get_close_matches(str(given), names, n=3)
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    listed = ", ".join(names[:40]) + (f", ... ({len(names)} in all)" if len(names) > 40 else "")
    return InputError(f"no {kind} named {given!r}.{hint} Valid names: {listed or '(none)'}.")


def deprecated(old: str, new: str) -> None:
    """Warn where somebody outside the library uses a name that has changed; what it stands for still works."""
    warnings.warn(f"{old} is now {new}", DeprecationWarning, stacklevel=level_outside())


def level_outside() -> int:
    """The `stacklevel` that a caller inside the library gives to `warnings.warn` for the line outside that called."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _OURS:
        frame, level = frame.f_back, level + 1
    return level
