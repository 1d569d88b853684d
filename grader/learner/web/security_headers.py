"""What a server tells browsers with every answer, and how it compares keys."""

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
    """Send answers with these headers, and those that every answer has."""

    async def send_sealed(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update({**ALWAYS, **headers})
        await send(message)

    return send_sealed


def same(one: str, other: str) -> bool:
    """Whether two keys are equal; how long that takes says nothing about them."""
    return secrets.compare_digest(one.encode("utf-8", "replace"), other.encode())
