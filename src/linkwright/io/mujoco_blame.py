"""Where in its file something of a compiled MuJoCo model stands, so that what is refused has a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ..errors import LinkwrightError, LoadError, UnsupportedError
from .xml import Element


class Blame:
    """`elements` maps (tag, name) to elements of the file; empty for a model that came without one."""

    def __init__(self, elements: Mapping[tuple[str, str], Element] | None = None, file: object = None):
        self.elements, self.file = elements or {}, file

    def error(self, tag: str, name: str, message: str) -> LinkwrightError:
        """To be raised by the caller; `tag` is MJCF's word for the thing, `message` begins after its name."""
        text = f"{tag} {name!r} {message}"
        element = self.elements.get((tag, name))
        if element is not None:
            return element.error(text)
        if self.file is not None:
            return LoadError(text, file=self.file)
        return UnsupportedError(text)

    @contextmanager
    def on(self, tag: str, name: str) -> Iterator[None]:
        """Within this, what the model layer refuses is the fault of that element."""
        try:
            yield
        except (LoadError, UnsupportedError):
            raise
        except LinkwrightError as error:
            raise self.error(tag, name, f"cannot be taken over: {error}") from None

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Within this, what the model layer refuses is the fault of the file."""
        try:
            yield
        except (LoadError, UnsupportedError):
            raise
        except LinkwrightError as error:
            raise LoadError(f"the model cannot be taken over: {error}", file=self.file) from None
