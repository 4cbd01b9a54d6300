"""The live page is for who has its address: real requests and websockets from elsewhere, and messages of all kinds."""

from __future__ import annotations

import http.client
import time
from urllib.parse import urlsplit

import numpy as np
import pytest

pytest.importorskip("viser", reason="the extra 'view' is not installed")
import msgspec
import viser
import websockets.sync.client as websockets

import linkwright as lw
from linkwright.errors import InputError, UnsupportedError
from linkwright.live import LivePage
from linkwright.live.page_guard import PageGuard, is_loopback
from linkwright.live.page_messages import MESSAGE_BYTES, checked_message
from linkwright.live.page_text import in_markdown
from linkwright.printable import printable

PORT = 8191


@pytest.fixture(scope="module")
def page():
    page = LivePage(lw.load("four_bar"), port=PORT)
    yield page
    page.close()


@pytest.fixture(scope="module")
def at(page):
    """(host:port, the token)"""
    parts = urlsplit(page.url)
    return parts.netloc, parts.query.removeprefix("token=")


def asked(netloc, path, headers=()):
    """The status and the headers of a GET."""
    connection = http.client.HTTPConnection(*netloc.split(":"), timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in headers or [("Host", netloc)]:
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers, body


def test_the_page_is_served_to_who_has_the_token(at):
    netloc, token = at
    status, headers, body = asked(netloc, f"/?token={token}")
    assert status == 200 and b"<html" in body.lower() and headers["Referrer-Policy"] == "no-referrer"
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and len(token) >= 32
    assert asked(netloc, "/", [("Host", netloc), ("Cookie", f"a=b; {cookie.split(';')[0]}")])[0] == 200
    assert asked(netloc, f"/?token={token}", [("Host", f"localhost:{9 * 1000}")])[0] == 200  # a forwarded port


REFUSED = {
    "no token": lambda n, t: ("/", [("Host", n)]),
    "wrong token": lambda n, t: (f"/?token={t[:-1]}x", [("Host", n)]),
    "empty token": lambda n, t: ("/?token=", [("Host", n)]),
    "token twice": lambda n, t: (f"/?token={t}&token=x", [("Host", n)]),
    "token elsewhere": lambda n, t: (f"/{t}", [("Host", n), ("Authorization", t)]),
    "cookie of another port": lambda n, t: ("/", [("Host", n), ("Cookie", f"linkwright-1={t}")]),
    "bytes in a cookie": lambda n, t: ("/", [("Host", n), ("Cookie", f"linkwright-{PORT}=\xff;=;;")]),
    "foreign name": lambda n, t: (f"/?token={t}", [("Host", f"rebound.example:{PORT}")]),
    "foreign number": lambda n, t: (f"/?token={t}", [("Host", "192.0.2.1")]),
    "two hosts": lambda n, t: (f"/?token={t}", [("Host", n), ("Host", "rebound.example")]),
    "no host": lambda n, t: (f"/?token={t}", [("Accept", "*/*")]),
    "name that is none": lambda n, t: (f"/?token={t}", [("Host", "[::1")]),
    "foreign page": lambda n, t: (f"/?token={t}", [("Host", n), ("Origin", "http://evil.example")]),
    "a file of ours": lambda n, t: ("/../../../etc/passwd", [("Host", n)]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_others_get_nothing(at, what):
    path, headers = REFUSED[what](*at)
    status, answer, body = asked(at[0], path, headers)
    assert status == 403 and "Set-Cookie" not in answer and len(body) < 300


def opened(netloc, token=None, cookie=None, origin="own", protocol=None, **headers):
    """A websocket as a browser opens it."""
    if cookie is not None:
        headers["Cookie"] = f"linkwright-{netloc.split(':')[1]}={cookie}"
    return websockets.connect(
        f"ws://{netloc}/{'' if token is None else f'?token={token}'}",
        origin=f"http://{netloc}" if origin == "own" else origin, additional_headers=headers,
        subprotocols=[protocol or f"viser-v{viser.__version__}"], max_size=None, open_timeout=10,
    )  # fmt: skip


SOCKETS_REFUSED = {
    "no token": {}, "wrong token": {"cookie": "x"}, "wrong token in the address": {"token": "x"},
    "foreign page": {"cookie": "right", "origin": "http://evil.example"},
    "foreign page that has the token": {"token": "right", "origin": "http://evil.example"},
    "another port of this machine": {"cookie": "right", "origin": "http://127.0.0.1:1"},
    "another name of this machine": {"cookie": "right", "origin": f"http://localhost:{PORT}"},
    "a file": {"cookie": "right", "origin": "null"}, "no page": {"cookie": "right", "origin": None},
}  # fmt: skip


@pytest.mark.parametrize("what", SOCKETS_REFUSED)
def test_no_websocket_for_others(page, at, what):
    netloc, token = at
    given = {key: token if value == "right" else value for key, value in SOCKETS_REFUSED[what].items()}
    with pytest.raises(Exception, match="403"):
        opened(netloc, **given).close()
    assert not page.server.get_clients()


CAMERA = {
    "type": "ViewerCameraMessage", "wxyz": [1.0, 0.0, 0.0, 0.0], "position": [1.0, 2.0, 3.0], "fov": 1.0, "near": 0.1,
    "far": 1e3, "image_height": 100, "image_width": 100, "look_at": [0.0, 0.0, 0.0], "up_direction": [0.0, 0.0, 1.0],
}  # fmt: skip


def waited(condition, seconds=10.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


@pytest.fixture
def socket(page, at):
    """A page that is open: it has sent where its camera is."""
    netloc, token = at
    with opened(netloc, cookie=token) as socket:
        send(socket, CAMERA)
        assert waited(page.server.get_clients)
        yield socket
    assert waited(lambda: not page.server.get_clients())


def send(socket, message):
    socket.send(msgspec.msgpack.encode(message))


def update(control, value, **more):
    return {"type": "GuiUpdateMessage", "uuid": control._impl.uuid, "updates": {"value": value, **more}}


def test_who_has_the_token_drags(page, socket):
    send(socket, update(page.sliders["crank_joint"], 0.25))
    assert waited(lambda: abs(page.q[0] - 0.25) < 1e-6)
    page.reset()


def bad_messages(page):
    slider, choice, speed = page.sliders["crank_joint"], page._choice, page.time
    return {
        "a file": update(choice, "/etc/passwd"), "a path up": update(choice, "../robot.xml"),
        "a list": update(choice, ["four_bar"]), "markup": update(choice, "<mujoco/>"), "json": update(choice, "{}"),
        "nan": update(slider, float("nan")), "infinity": update(slider, float("inf")), "far": update(slider, 1e6),
        "text": update(slider, "0.1"), "none": update(slider, None), "bool": update(slider, True),
        "huge": update(slider, 10**18), "other property": update(slider, 0.1, min=-1e9),
        "only other": {**update(slider, 0.1), "updates": {"update_cb": []}}, "dict": update(speed, {"a": 1}),
        "tick": update(page._hold, "yes"), "click": update(page.play_button, [1]),
        "no control": {"type": "GuiUpdateMessage", "uuid": "x", "updates": {"value": 1}},
        "tunnel": {"type": "ShareUrlRequest"}, "upload": {
            "type": "FileTransferStartUpload", "source_component_uuid": slider._impl.uuid, "transfer_uuid": "t",
            "filename": "x", "mime_type": "x", "part_count": 1, "size_bytes": 1 << 40,
        },
        "unknown": {"type": "Nothing"}, "base": {"type": "Message"}, "no type": {"a": 1}, "type": {"type": 3},
        "camera of nan": {**CAMERA, "position": [float("nan")] * 3}, "camera of two": {**CAMERA, "position": [1.0] * 2},
        "camera with more": {**CAMERA, "more": 1}, "camera with less": {"type": "ViewerCameraMessage"},
        "camera of 1e300": {**CAMERA, "look_at": [1e300, 0.0, 0.0]},
        "pull of nan": {
            "type": "TransformControlsUpdateMessage", "name": "/handle", "wxyz": [1.0, 0.0, 0.0, 0.0],
            "position": [float("nan"), 0.0, 0.0], "owner": "",
        },
        "pull of one": {
            "type": "TransformControlsUpdateMessage", "name": "/handle", "wxyz": [1.0, 0.0, 0.0, 0.0],
            "position": [0.0], "owner": "",
        },
        "drag of text": {
            "type": "SceneNodeDragMessage", "phase": "burst", "name": "x", "instance_index": None, "owner": "",
            "start_position": [0.0] * 3, "start_screen_pos": [0.0] * 2, "end_position": [0.0] * 3,
            "end_screen_pos": [0.0] * 2, "button": "left", "modifier": None,
        },
    }  # fmt: skip


def test_bad_messages_change_nothing(page, at, monkeypatch):
    """Each alone is dropped, and the page goes on; too many end the connection, and only that."""
    tunnels = []
    monkeypatch.setattr(page.server, "request_share_url", lambda *_: tunnels.append(1))
    netloc, token = at
    before, model, uploads = page.q.copy(), page.model, page.server.gui._current_file_upload_states
    limits = page.sliders["crank_joint"].min, page.sliders["crank_joint"].max
    for what, message in bad_messages(page).items():
        assert checked_message(msgspec.msgpack.encode(message), page.server.gui) is not None, what
    messages = list(bad_messages(page).values())
    for k in range(0, len(messages), 8):
        with opened(netloc, cookie=token) as socket:
            for message in messages[k : k + 8]:
                send(socket, message)
            send(socket, CAMERA)
            assert waited(page.server.get_clients)
        assert waited(lambda: not page.server.get_clients())
    assert np.array_equal(page.q, before) and page.model is model and not uploads and not tunnels
    assert (page.sliders["crank_joint"].min, page.sliders["crank_joint"].max) == limits and page.problem == ""


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"\xff" * 64, b"\x91" * 5000, "text", b"\x81\xa4type\xc4\x01a", b"\xdf\xff\xff\xff\xff"]
)
def test_garbage(page, socket, data):
    for _ in range(3):
        socket.send(data)
    send(socket, CAMERA)
    client = next(iter(page.server.get_clients().values()))
    assert waited(lambda: np.array_equal(client.camera.position, [1.0, 2.0, 3.0]))


def test_a_flood_and_a_giant_end_their_connection_only(page, at):
    netloc, token = at
    for messages in ([b"\xff"] * 100, [b"\xc6" + bytes(MESSAGE_BYTES)]):
        with opened(netloc, cookie=token) as socket, pytest.raises(Exception, match=r"1008|1009"):
            for data in messages:
                socket.send(data)
            while True:
                socket.recv(timeout=10)
    with opened(netloc, cookie=token) as socket:
        send(socket, CAMERA)
        assert waited(page.server.get_clients)


def test_robots_are_those_that_are_offered(page, tmp_path):
    file = lw.save(lw.load("slider_crank"), tmp_path / "robot.json") or tmp_path / "robot.json"
    for name in (str(file), "chain:3", "no_such_robot", "", "<mujoco/>"):
        page._change_robot(name)
        assert "none of those" in page.problem and page.model.name == "four_bar"
    page._change_robot("four_bar")
    assert page.problem == "" and page.model is page._given


def test_names_are_no_markdown():
    shown = in_markdown("[a](http://b) ![c](d) <script>\x1b`e`\n\n# f {1}")
    assert "](" not in shown and "<" not in shown.replace("\\<", "") and "\x1b" not in shown and shown.count("\n") == 2


def test_addresses_that_cannot_be_listened_on():
    for host in ("192.0.2.1", "no.such.host.invalid", "", None, "a" * 300, "\ud800"):
        with pytest.raises(InputError, match="host"):
            LivePage("four_bar", port=PORT + 1, host=host)
    assert [is_loopback(x) for x in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "10.1.2.3", "x")] == [1, 1, 1, 0, 0, 0]


def test_a_server_that_does_not_ask_for_the_token_is_not_left_running(monkeypatch):
    """As another version of viser might do."""
    monkeypatch.setattr(PageGuard, "_problem", lambda *_: ("", False))
    with pytest.raises(UnsupportedError, match="without asking for our token"):
        LivePage("four_bar", port=PORT + 2)
    with pytest.raises(OSError):
        asked(f"127.0.0.1:{PORT + 2}", "/")


def test_names_from_files_are_shown_as_they_are(tmp_path):
    """On sliders, in drop-downs and in the text, whatever they hold."""
    hostile = "\x1b[31m\u202e[a](http://b.invalid)<img src=x>"
    builder = lw.ModelBuilder(f"r{hostile}")
    for k in range(2):
        builder.add_body(f"b{k}{hostile}", lw.revolute(f"j{k}{hostile}", "x"), inertia=lw.Inertia.sphere(1.0, 0.1))
    page = LivePage(builder.build(), port=PORT + 3)
    try:
        labels = [slider.label for slider in page.sliders.values()]
        shown = [*labels, *page._choice.options, *page._pushing.choice.options, *page._message.content.split("\n")]
        assert all(printable(text) == text for text in shown) and len(labels) == 2
        assert "](http" not in page._message.content and "<img" not in page._message.content.replace("\\<", "")
        page.push(f"b1{hostile}", (0.0, 0.0, 0.0))
        assert page._pushing.pull.body == 2
        page.pose(f"j0{hostile}", 0.3)
        assert page.q[0] == 0.3
        with pytest.raises(InputError, match="no body named"):
            page.push("other", (0.0, 0.0, 0.0))
    finally:
        page.close()
