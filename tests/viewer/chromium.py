"""Chromium without a window, spoken to over a pair of pipes in its DevTools protocol."""

import base64
import fcntl
import json
import os
import shutil
import subprocess

import pytest

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
    "--hide-scrollbars", "--window-size=900,600", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)  # fmt: skip
_READS, _WRITES = 3, 4  # the descriptors on which Chromium expects the pipes
_ABOVE = 16  # where ours are out of the way of those


def find_chromium():
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Chromium:
    def __init__(self, folder):
        ours, theirs = [], []
        for k in range(2):
            low = os.pipe()
            pipe = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _ABOVE) for end in low]
            for end in low:
                os.close(end)
            theirs.append(pipe[k])
            ours.append(pipe[1 - k])

        def connect():
            os.dup2(theirs[0], _READS)
            os.dup2(theirs[1], _WRITES)

        self.process = subprocess.Popen(
            [find_chromium(), *_FLAGS, f"--user-data-dir={folder}", "about:blank"], preexec_fn=connect,
            pass_fds=(_READS, _WRITES), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        for end in theirs:
            os.close(end)
        self._requests, self._replies = os.fdopen(ours[0], "wb"), os.fdopen(ours[1], "rb")
        self._count, self._pending, self.events = 0, b"", []

    def call(self, method, session=None, **params):
        self._count += 1
        message = {"id": self._count, "method": method, "params": params, **({"sessionId": session} if session else {})}
        self._requests.write(json.dumps(message).encode() + b"\0")
        self._requests.flush()
        while True:
            reply = self._receive()
            if reply.get("id") == self._count:
                assert "error" not in reply, reply
                return reply["result"]
            self.events.append(reply)

    def _receive(self):
        while b"\0" not in self._pending:
            part = os.read(self._replies.fileno(), 1 << 16)
            assert part, "Chromium has gone"
            self._pending += part
        message, _, self._pending = self._pending.partition(b"\0")
        return json.loads(message)

    def open(self, path, *, dark=False):
        return self.visit(path.as_uri(), dark=dark)

    def visit(self, url, *, dark=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", session, features=[scheme])
        page = Page(self, session)
        self.call("Page.enable", session)
        self.call("Page.navigate", session, url=url)
        page.evaluate("new Promise((go) => document.readyState === 'complete' ? go() : addEventListener('load', go))")
        assert page.evaluate("location.href").rstrip("/") == url
        return page

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=20)


class Page:
    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def evaluate(self, expression):
        """The value of an expression in the page; of a promise, what it resolves to."""
        reply = self.browser.call(
            "Runtime.evaluate", self.session, expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in reply, reply["exceptionDetails"]
        return reply["result"].get("value")

    def drag(self, x1, y1, x2, y2):
        for kind, x, y in (("mousePressed", x1, y1), ("mouseMoved", x2, y2), ("mouseReleased", x2, y2)):
            button = {"button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1}
            self.browser.call("Input.dispatchMouseEvent", self.session, type=kind, x=x, y=y, **button)

    def screenshot(self, path):
        reply = self.browser.call("Page.captureScreenshot", self.session)
        path.write_bytes(base64.b64decode(reply["data"]))
        return path


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    if find_chromium() is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    browser = Chromium(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()
