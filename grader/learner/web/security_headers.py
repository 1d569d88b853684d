"""Security headers for every response, and the comparison of keys."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import Message, Send

ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


def sealed(send: Send, headers: Mapping[str, str]) -> Send:
    """Send responses with these headers, and those that every response has."""

    async def send_sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update({**ALWAYS, **headers})
        await send(message)

    return send_sealed


def same(one: str, other: str) -> bool:
    """Whether two keys are equal, compared in constant time."""
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode())
