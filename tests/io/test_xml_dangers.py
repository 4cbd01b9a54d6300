"""XML that is meant to hurt: entities, external files, depth, size, encodings. Refused, and at once."""

from __future__ import annotations

import time

import pytest

from linkwright.errors import LoadError
from linkwright.io.text import xml
from linkwright.io.text.xml import parse_xml

BILLION_LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE robot [\n<!ENTITY a0 "ha">\n'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">\n' for i in range(1, 12))
    + ']>\n<robot name="&a11;"/>'
)


def refused(data, *words) -> LoadError:
    start = time.process_time()
    with pytest.raises(LoadError) as caught:
        parse_xml(data, "robot.urdf")
    assert time.process_time() - start < 1
    for word in ("robot.urdf", *words):
        assert word in str(caught.value), str(caught.value)
    return caught.value


def test_entity_bomb():
    assert refused(BILLION_LAUGHS, "DTD", "DOCTYPE").line == 2


def test_external_entity(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret words")
    text = f'<!DOCTYPE r [<!ENTITY x SYSTEM "{secret.as_uri()}">]><robot name="&x;"/>'
    assert "secret words" not in str(refused(text, "DTD"))


def test_external_document_type():
    refused('<!DOCTYPE robot SYSTEM "http://example.invalid/robot.dtd"><robot/>', "DTD")


def test_undeclared_entity():
    refused("<robot>&nothing;</robot>", "undefined entity", "line 1")


def test_depth():
    refused("<a>" * 5000 + "</a>" * 5000, "nested more than")


def test_number_of_elements(monkeypatch):
    monkeypatch.setattr(xml, "MAX_ELEMENTS", 100)
    refused("<a>" + "<b/>" * 101 + "</a>", "more than 100 elements")


def test_size(monkeypatch):
    monkeypatch.setattr(xml, "MAX_BYTES", 100)
    refused(b"<a>" + b" " * 100 + b"</a>", "at most 100")


def test_much_text_takes_linear_time():
    start = time.process_time()
    assert len(parse_xml("<a>" + "x<b/>" * 50_000 + "</a>").text) == 50_000
    assert time.process_time() - start < 1


@pytest.mark.parametrize("encoding", ["no-such-encoding", "base64", "rot13", "utf-7", "big5", "\u00e9", "x" * 300])
def test_encodings_that_are_none(encoding):
    refused(f'<?xml version="1.0" encoding="{encoding}"?><robot/>'.encode(), "line")


def test_declared_encoding_that_is_not_the_files():
    refused('<?xml version="1.0" encoding="utf-8"?>\n<robot name="é"/>'.encode("latin-1"), "line 2")


def test_text_that_is_not_unicode():
    refused("<robot name='\ud800'/>", "not valid Unicode")


def test_declared_encoding_of_a_string_is_ignored():
    assert parse_xml('<?xml version="1.0" encoding="iso-8859-1"?><r name="é"/>').attributes["name"] == "é"


def test_elements_know_their_lines():
    root = parse_xml("<a>\n<b x='1'/>\n\n<c>text</c></a>", "f")
    assert [(e.tag, e.line) for e in root] == [("b", 2), ("c", 4)]
    assert root.only("c").text == "text" and root.only("d") is None
    assert root.only("b").attributes == {"x": "1"}
