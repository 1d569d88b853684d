"""Lets in programs of this machine, or those that have the key; no page of another server."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from gpt2.serve.errors import ApiError
from grader.learner.web.security_headers import same, sealed

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

POLICY = {
    "content-security-policy": "default-src 'self'; img-src data:; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
}
ELSEWHERE = "A page elsewhere asked for this. The server answers its own page, and programs."
STRANGER = "This server wants its key: Authorization: Bearer KEY. The terminal shows it."


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches that address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Address:
    """Where it listens. ``key`` is empty where only this machine can reach it."""

    host: str
    port: int
    key: str = field(default="", repr=False)

    @property
    def home(self) -> str:
        """The address of its page."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/"

    @property
    def names(self) -> set[str]:
        """Each ``Host`` that may be asked for where there is no key."""
        return {f"{host}:{self.port}" for host in ("127.0.0.1", "localhost", "[::1]", self.host)}


class Guard:
    """Stands before the application.

    A page of another server can send requests from the browser of whoever uses this machine, and
    a name of its own may lead here: so ``Host`` and ``Origin`` must be this server's.
    """

    def __init__(self, app: ASGIApp, address: Address) -> None:
        self._app, self._address = app, address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer."""
        if scope["type"] != "http":  # there are no web sockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        refused = self._refusal(scope["path"], Headers(scope=scope))
        answer = self._app if refused is None else refused.response()
        await answer(scope, receive, sealed(send, POLICY))

    def _refusal(self, path: str, headers: Headers) -> ApiError | None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        key = self._address.key
        if len(hosts) != 1 or not (key or hosts[0] in self._address.names):
            return ApiError(403, ELSEWHERE)
        if origins not in ([], [f"http://{hosts[0]}"], [f"https://{hosts[0]}"]):
            return ApiError(403, ELSEWHERE)
        site = headers.get("sec-fetch-site", "none")
        if path.startswith("/v1") and site not in ("same-origin", "none"):
            return ApiError(403, ELSEWHERE)
        given = headers.get("authorization", "").removeprefix("Bearer ").strip()
        if key and path.startswith("/v1") and not same(given, key):
            return ApiError(401, STRANGER, code="invalid_api_key")
        return None
