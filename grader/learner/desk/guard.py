"""Admits only the learner's own browser, and sets the policy for its pages."""

from __future__ import annotations

import html
import secrets
from http.cookies import SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from grader.learner.web.security_headers import same, sealed

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from grader.learner.desk.address import Address

NONCE = "desk.nonce"
"""Where a request's scope has the nonce that the editor's styles must carry."""
KEY = "desk.key"
"""Where a request's scope has the key, for admitted pages."""
PROOF = "/_proof"
POLICY = (
    "default-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
SAFE = ("GET", "HEAD")
STRANGER = "This desk does not know your browser. Open the address shown in the terminal."
ELSEWHERE = "Another page asked for this. The desk answers only its own pages."


class Guard:
    """Wraps the application, which sees only requests from the learner's own pages.

    A request must name this server as its host, come from a page of this server or from none,
    and carry the cookie. The address with the token sets the cookie, and so does a page's proof
    that it has the key.
    """

    def __init__(self, app: ASGIApp, address: Address, first: str) -> None:
        self._app = app
        self._address = address
        self._first = first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the application answer."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # the desk has no web sockets
            await send({"type": "websocket.close", "code": 1008})
            return
        nonce = scope[NONCE] = secrets.token_urlsafe(16)
        scope[KEY] = self._address.key
        headers = {
            "cross-origin-opener-policy": "same-origin",
            "content-security-policy": POLICY.format(nonce=nonce),
        }
        answer = self._answer(scope)
        await (self._app if answer is None else answer)(scope, receive, sealed(send, headers))

    def _answer(self, scope: Scope) -> Response | None:
        """Refuse the request or set the cookie; None lets the request through."""
        headers = Headers(scope=scope)
        if not self._from_here(scope["method"], headers):
            return PlainTextResponse(ELSEWHERE, 403)
        if scope["path"] == "/" and scope["query_string"]:
            return self._welcome(scope["query_string"].decode("latin-1"))
        site = headers.get("sec-fetch-site", "none")
        if site not in ("same-origin", "none"):
            return PlainTextResponse(ELSEWHERE, 403)
        if scope["path"] == PROOF:
            origin = self._address.origins[headers["host"]]
            return self._proven(scope["method"], origin, scope["query_string"].decode("latin-1"))
        if not self._known(headers):
            return PlainTextResponse(STRANGER, 403)
        return None

    def _from_here(self, method: str, headers: Headers) -> bool:
        """Whether the request is for this server and not from another server's page."""
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        expected = self._address.origins.get(hosts[0]) if len(hosts) == 1 else None
        if expected is None:
            return False
        return origins == [expected] or (not origins and method in SAFE)

    def _known(self, headers: Headers) -> bool:
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except Exception:  # noqa: BLE001 - whatever a stranger sends
            return False
        found = cookies.get(self._address.cookie)
        return found is not None and same(found.value, self._address.session)

    def _welcome(self, query: str) -> Response:
        """Set the cookie in return for the token, and continue at the first page.

        A redirect would not do: the browser would still treat whoever opened the address as the
        initiator, and not send the cookie.
        """
        token = parse_qs(query).get("token", [""])[0]
        if not same(token, self._address.token):
            return PlainTextResponse(STRANGER, 403)
        first = html.escape(self._first)
        page = HTMLResponse(
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Desk</title>'
            '<link rel="icon" href="data:,">'
            f'<meta http-equiv="refresh" content="0;url={first}">'
            f'<p><a href="{first}">To the lesson</a></p></html>'
        )
        return self._let_in(page)

    def _proven(self, method: str, origin: str, query: str) -> Response:
        """Prove to a page that this is its desk; set the cookie for one that proves it is ours."""
        asked = {name: values[0] for name, values in parse_qs(query).items()}
        if method == "GET":
            proof = self._address.proof("desk", origin, asked.get("nonce", ""))
            return JSONResponse({"proof": proof, "nonce": self._address.started})
        expected = self._address.proof("page", origin, self._address.started)
        if method != "POST" or not same(asked.get("proof", ""), expected):
            return PlainTextResponse(STRANGER, 403)
        return self._let_in(Response(status_code=204))

    def _let_in(self, answer: Response) -> Response:
        answer.set_cookie(
            self._address.cookie,
            self._address.session,
            path=self._address.path,
            httponly=True,
            samesite="strict",
            secure=self._address.secure,
        )
        return answer
