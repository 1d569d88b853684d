"""Errors in the form in which OpenAI's clients expect them."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class ApiError(Exception):
    """What a request gets instead of text."""

    def __init__(
        self, status: int, message: str, *, param: str | None = None, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.message, self.param, self.code = status, message, param, code

    @property
    def body(self) -> dict[str, Any]:
        """The object that says it."""
        other = "server_error" if self.status >= 500 else "invalid_request_error"
        kind = KINDS.get(self.status, other)
        told = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        return {"error": told}

    def response(self, headers: dict[str, str] | None = None) -> JSONResponse:
        """The same as an answer."""
        again = {"retry-after": "1"} if self.status == 429 else {}
        return JSONResponse(self.body, self.status, {**again, **(headers or {})})
