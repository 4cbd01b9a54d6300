"""Who may open the live page: whoever has its address, token included.

viser serves everybody who can reach its port, and browsers let every web page reach ports of this machine. So each
request is asked before viser sees it: does it name this server by a name of its own (not by a foreign one that was made
to lead here), does it carry the token, and does it come from a page of this very server?
"""

from __future__ import annotations

import contextlib
import hmac
import http.client
import ipaddress
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ..errors import InputError, UnsupportedError
from .page_messages import MESSAGE_BYTES, checked_message

_TOKEN_BYTES = 24  # of randomness: more than can be guessed
_REFUSED = (
    "This page is served to whoever has its whole address. Open the one that was printed when it was started, with "
    "what stands after '?token='.\n"
)
_HEADERS = {
    "Referrer-Policy": "no-referrer",  # the token is in the address
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cache-Control": "no-store",
}
_MOST_BAD_MESSAGES = 20  # of one connection, before it is ended
_POLICY_VIOLATION = 1008  # the websocket protocol's own code
_ANSWER_SECONDS = 10.0
_CLOSE_SECONDS = 1.0  # whoever floods does not read our farewell
_STARTING = threading.Lock()


class PageGuard:
    """Stands before a `viser.ViserServer` that is made within `installed()`. `token` opens the page."""

    def __init__(self, host: str):
        self.host, self.token = host, secrets.token_urlsafe(_TOKEN_BYTES)
        self.server: Any = None
        """The server, once it is made; before, messages are dropped."""

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Puts the guard in front of the websocket server that viser starts meanwhile; others are left alone."""
        import websockets.asyncio.server as served

        def serve(handler: Callable, *arguments: Any, **options: Any) -> Any:
            if getattr(handler, "__module__", "").partition(".")[0] != "viser":
                return original(handler, *arguments, **options)
            options["process_request"] = self._request_checker(options.get("process_request"))
            options["max_size"], options["close_timeout"] = MESSAGE_BYTES, _CLOSE_SECONDS

            async def guarded(connection: Any) -> None:
                await handler(_CheckedConnection(connection, self))

            return original(guarded, *arguments, **options)

        with _STARTING:
            original = served.serve
            served.serve = serve  # type: ignore[assignment, misc]
            try:
                yield
            finally:
                served.serve = original  # type: ignore[misc]

    def check_installed(self, port: int) -> None:
        """Raise UnsupportedError if the server answers a request that has no token: then viser starts otherwise than we
        know, and must not be left running."""
        connection = http.client.HTTPConnection(_reachable(self.host), port, timeout=_ANSWER_SECONDS)
        try:
            connection.request("GET", "/")
            status = connection.getresponse().status
        except OSError as error:
            raise UnsupportedError(f"the live page does not answer on port {port}: {error}") from None
        finally:
            connection.close()
        if status != http.HTTPStatus.FORBIDDEN:
            raise UnsupportedError(
                "this version of viser serves its page without asking for our token, so it was stopped; take viser 1.1"
            )

    def url(self, port: int) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{port}/?token={self.token}"

    def _request_checker(self, answer: Callable | None) -> Callable:
        def check(connection: Any, request: Any) -> Any:
            problem, by_address = self._problem(request.headers, request.path, connection.local_address[1])
            if problem:
                response = connection.respond(http.HTTPStatus.FORBIDDEN, problem)
            else:
                response = answer(connection, request) if answer is not None else None
            if response is not None:
                for name, value in _HEADERS.items():
                    response.headers[name] = value
                if by_address and not problem:
                    cookie = f"{_cookie_name(connection.local_address[1])}={self.token}"
                    response.headers["Set-Cookie"] = f"{cookie}; Path=/; HttpOnly; SameSite=Strict"
            return response

        return check

    def _problem(self, headers: Any, path: str, port: int) -> tuple[str, bool]:
        """(what is wrong with a request, or nothing; whether the token stands in its address)."""
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if len(hosts) != 1 or not self._is_own_name(hosts[0]):
            return "This server is not known by that name.\n", False
        given = parse_qs(urlsplit(path).query).get("token", [])
        by_address = len(given) == 1 and self._is_token(given[0])
        if not by_address and not any(map(self._is_token, _cookies(headers, _cookie_name(port)))):
            return _REFUSED, False
        if origins and origins not in ([f"http://{hosts[0]}"], [f"https://{hosts[0]}"]):
            return "Requests from pages of other servers are refused.\n", False
        if not origins and headers.get_all("Upgrade"):
            return "A websocket is opened from the page of this server.\n", False
        return "", by_address

    def _is_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode("utf-8", "replace"), self.token.encode())

    def _is_own_name(self, host: str) -> bool:
        """Names that no name server of others can point here: that of the loopback, the one that was given, and, where
        this server listens beyond this machine, addresses in numbers. Any port: it may be forwarded."""
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in ("localhost", self.host.lower()):
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not is_loopback(self.host)


class _CheckedConnection:
    """A websocket whose messages have been looked at: those that are not what our page sends never reach viser."""

    def __init__(self, connection: Any, guard: PageGuard):
        self._connection, self._guard, self._bad = connection, guard, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def recv(self, *arguments: Any, **options: Any) -> Any:
        while True:
            data = await self._connection.recv(*arguments, **options)
            server = self._guard.server
            verdict = checked_message(data, None if server is None else server.gui)
            if verdict is None:
                return data
            self._bad += verdict.is_offence
            if self._bad > _MOST_BAD_MESSAGES:
                await self._connection.close(_POLICY_VIOLATION, "too many messages that no page of ours sends")


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(host: str) -> None:
    """Raise InputError for an address that this machine cannot listen on; viser would wait for ever."""
    if not isinstance(host, str) or not host:
        raise InputError(f"host is {host!r}; expected an address of this machine, such as '127.0.0.1'")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.bind(address)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"this machine cannot listen on host {host!r}: {why}; take '127.0.0.1'") from None


def _reachable(host: str) -> str:
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)


def _cookie_name(port: int) -> str:
    """Cookies do not tell ports of a host apart."""
    return f"linkwright-{port}"


def _cookies(headers: Any, name: str) -> list[str]:
    pairs = (pair.partition("=") for line in headers.get_all("Cookie") for pair in line.split(";"))
    return [value.strip() for key, _, value in pairs if key.strip() == name]
