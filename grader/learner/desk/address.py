"""Where the desk can be reached, and the secrets that open it."""

from __future__ import annotations

import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from grader.base.files import Unusable
from grader.learner.web.server import LOOPBACK

PORT = 8750
"""The usual port. It stays the same, because a browser stores unsaved text by origin."""
KEY = ".grader/desk.key"
NAMES = (LOOPBACK, "localhost")


@dataclass(frozen=True)
class Address:
    """The addresses of the desk. ``public`` is that of a proxy, or empty.

    ``token`` opens the desk for a browser, which then keeps ``session`` as a cookie. Both end with
    the server. ``key`` outlives it, so that a page that stayed open can save its unsaved text:
    page and server prove to each other that they have the key, and never send it.
    """

    port: int
    public: str = ""
    key: str = field(default="", repr=False)
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24), repr=False)
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    started: str = field(default_factory=lambda: secrets.token_urlsafe(16))

    @property
    def home(self) -> str:
        """The address of the book, with a slash at the end."""
        return self.public or f"http://{LOOPBACK}:{self.port}/"

    @property
    def opening(self) -> str:
        """The address to open in a browser."""
        return f"{self.home}?token={self.token}"

    @property
    def origins(self) -> dict[str, str]:
        """Every valid ``Host``, with the origin of its pages."""
        found = {f"{name}:{self.port}": f"http://{name}:{self.port}" for name in NAMES}
        if self.public:
            parts = urlsplit(self.public)
            found[parts.netloc] = f"{parts.scheme}://{parts.netloc}"
        return found

    def proof(self, whose: str, origin: str, nonce: str) -> str:
        """Return the proof, in hex, that the side ``whose``, ``"desk"`` or ``"page"``, has the key.

        It holds for one origin, so that nobody on another port can relay it.
        """
        text = "\n".join((whose, origin, nonce)).encode("utf-8", "replace")
        return hmac.new(self.key.encode(), text, "sha256").hexdigest()

    @property
    def cookie(self) -> str:
        """The cookie's name, which contains the port because cookies ignore ports."""
        return f"desk_{self.port}"

    @property
    def path(self) -> str:
        """The path for which the cookie is sent."""
        return urlsplit(self.home).path

    @property
    def secure(self) -> bool:
        """Whether the browser reaches the desk by HTTPS."""
        return self.home.startswith("https:")


def public(address: str) -> str:
    """Return an address as someone typed it, with a slash at the end.

    Raises:
        Unusable: it is not the address of a web page.
    """
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise Unusable(f"{address} is not an address such as https://hub.example/user/ana/desk/")
    return address.rstrip("/") + "/"


def key(root: Path) -> str:
    """Return this course's key, made on first use; a new one each time if it cannot be stored."""
    path = root / KEY
    fresh = secrets.token_urlsafe(32)
    try:
        path.parent.mkdir(exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(fresh)
    except FileExistsError:
        return _kept(path) or fresh
    except OSError:
        return fresh
    return fresh


def _kept(path: Path) -> str:
    """Return the key in the file if nobody else can read it; otherwise remove the file."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(handle) as file:
            private = os.fstat(handle).st_mode & 0o077 == 0
            found = file.read(100)
    except (OSError, ValueError):
        private, found = False, ""
    if private and len(found) >= 32:
        return found
    path.unlink(missing_ok=True)
    return ""
