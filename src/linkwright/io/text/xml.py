"""XML into a light tree that remembers line numbers. Shared by the readers of XML robot formats.

Files come from strangers, so document type declarations are refused outright: entities are how an XML file of a
kilobyte becomes gigabytes in memory, or reads files that are none of its business. No robot format needs them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn
from xml.parsers import expat

from ...errors import LinkwrightError, LoadError, UnsupportedError

MAX_BYTES = 64 * 2**20  # a hundred times the largest robot description we know
MAX_DEPTH = 200  # robot formats nest about ten deep; MJCF nests bodies in bodies
MAX_ELEMENTS = 200_000  # the largest has ten thousand
MAX_PARTS = 10_000  # links, joints and frames of a mechanism; the largest robots have a few hundred


class Element:
    """One element: `tag` as written (with its prefix), attributes, children, text, and where it stands."""

    __slots__ = ("attributes", "children", "file", "line", "pieces", "tag")

    def __init__(self, tag: str, attributes: dict[str, str], file: object, line: int):
        self.tag, self.attributes, self.file, self.line = tag, attributes, file, line
        self.children: list[Element] = []
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        """What stands between the tags, without surrounding blanks and without the children's text."""
        return "".join(self.pieces).strip()

    def __iter__(self) -> Iterator[Element]:
        return iter(self.children)

    def named(self, tag: str) -> list[Element]:
        """Children with that tag."""
        return [child for child in self.children if child.tag == tag]

    def only(self, *tags: str) -> Element | None:
        """The child with one of those tags, if there is one; two are an error."""
        found = [child for child in self.children if child.tag in tags]
        if len(found) > 1:
            raise found[1].error(f"a second <{found[1].tag}> in <{self.tag}> (the first is on line {found[0].line})")
        return found[0] if found else None

    def error(self, message: str) -> LoadError:
        """An error that says where this element is; to be raised by the caller."""
        return LoadError(message, file=self.file, line=self.line, element=self.tag)

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Within this, what the model layer refuses becomes an error that says it is this element's fault."""
        try:
            yield
        except (LoadError, UnsupportedError):
            raise
        except LinkwrightError as error:
            raise self.error(str(error)) from None

    def __repr__(self) -> str:
        return f"<{self.tag}> on line {self.line}"


def parse_xml(data: bytes | str, file: object = None) -> Element:
    """The root element of a document. `file` is what errors call it."""
    if isinstance(data, str):
        try:
            data, encoding = data.encode("utf-8"), "utf-8"  # a declared encoding no longer applies
        except UnicodeEncodeError as error:
            raise LoadError(f"the text is not valid Unicode: {error}", file=file) from None
    else:
        encoding = None
    if len(data) > MAX_BYTES:
        raise LoadError(f"{len(data)} bytes of XML; at most {MAX_BYTES} are read", file=file)
    return _Reader(file, encoding).read(data)


def check_parts(root: Element, *tags: str) -> None:
    """Refuse a file with an absurd number of elements of those tags, before any work is done on them."""
    count, waiting = 0, [root]
    while waiting:
        element = waiting.pop()
        count += element.tag in tags
        if count > MAX_PARTS:
            raise element.error(f"more than {MAX_PARTS} of {', '.join(f'<{tag}>' for tag in tags)}: no mechanism")
        waiting.extend(reversed(element.children))


class _Reader:
    """Collects expat's events into elements."""

    def __init__(self, file: object, encoding: str | None):
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.count = 0
        parser = self.parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        parser.EntityDeclHandler = self._refuse_doctype
        parser.ExternalEntityRefHandler = self._refuse_doctype

    def read(self, data: bytes) -> Element:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            if self.open and error.code == expat.errors.codes[expat.errors.XML_ERROR_NO_ELEMENTS]:
                reason = f"the file ends inside {self.open[-1]!r}; is it truncated?"
            raise LoadError(f"not well-formed XML: {reason}", file=self.file, line=error.lineno) from None
        except (LookupError, ValueError) as error:  # an encoding that does not exist, or that is no text encoding
            line = self.parser.CurrentLineNumber
            raise LoadError(f"the XML cannot be decoded: {error}", file=self.file, line=line) from None
        if self.root is None:
            raise LoadError("the XML has no root element", file=self.file, line=1)
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self.file, self.parser.CurrentLineNumber)
        self.count += 1
        if self.count > MAX_ELEMENTS:
            raise element.error(f"more than {MAX_ELEMENTS} elements")
        if len(self.open) >= MAX_DEPTH:
            raise element.error(f"elements are nested more than {MAX_DEPTH} deep")
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        if self.open:
            self.open[-1].pieces.append(text)

    def _refuse_doctype(self, *declaration) -> NoReturn:
        raise LoadError(
            "the file declares a document type (DTD) or entities; they are refused because they can expand without "
            "bound or read other files. Remove the <!DOCTYPE ...> declaration",
            file=self.file,
            line=self.parser.CurrentLineNumber,
        )
