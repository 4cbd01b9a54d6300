"""Where in its file something of a compiled MuJoCo model stands, so that what is refused has a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from ...errors import LinkwrightError, LoadError, UnsupportedError
from ..text.xml import Element


class Blame:
    """`elements` maps (tag, name) to elements below `root`; there are none for a model that came without a file."""

    def __init__(self, elements: Mapping[tuple[str, str], Element] | None = None, root: Element | None = None):
        self.elements, self.root = elements or {}, root

    def error(self, tag: str, name: str, message: str) -> LinkwrightError:
        """To be raised by the caller; `tag` is MJCF's word for the thing, `message` begins after its name."""
        text = f"{tag} {name!r} {message}"
        element = self.elements.get((tag, name), self.root)
        return UnsupportedError(text) if element is None else element.error(text)

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
            text = f"the model cannot be taken over: {error}"
            raise (LoadError(text) if self.root is None else self.root.error(text)) from None
