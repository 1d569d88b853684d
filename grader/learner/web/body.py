"""Reads the body of a request, and never more than its allowed size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

if TYPE_CHECKING:
    from starlette.requests import Request

Json = dict[str, Any]

CLOSED = {"connection": "close"}
"""Header for answers sent before the whole body was read."""


async def json_object(request: Request, most: int) -> Json:
    """Return the request's JSON object, of at most ``most`` bytes.

    Raises:
        HTTPException: the body is something else, or too long.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "This takes JSON. Say so: Content-Type: application/json")
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > most:
        raise HTTPException(413, "Too large.", CLOSED)
    data = bytearray()
    try:
        async for piece in request.stream():
            data += piece
            if len(data) > most:
                raise HTTPException(413, "Too large.", CLOSED)
    except ClientDisconnect:
        raise HTTPException(400, "The request ended early.") from None
    try:
        found = json.loads(bytes(data))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise HTTPException(400, "This is not a JSON object.")
    return found
