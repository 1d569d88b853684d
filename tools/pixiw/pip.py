"""pip, which comes with Python, and its settings for where packages come from."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from ast import literal_eval
from pathlib import Path

from tools.pixiw.manifest import Problem

UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
    "no-index": "UV_OFFLINE",
}
"""pip's name and uv's name of the settings that say where packages come from."""

PATIENCE_S = 60.0


def unpack(site: Path) -> None:
    """Put pip into the package folder ``site``: what ensurepip does, in a tenth of the time."""
    import ensurepip

    # Linux distributions keep the wheel in their own folder.
    folders = (
        sysconfig.get_config_var("WHEEL_PKG_DIR"),
        Path(ensurepip.__file__).parent / "_bundled",
    )
    wheel = next(path for each in folders if each for path in Path(each).glob("pip-*.whl"))
    shutil.unpack_archive(wheel, site, "zip")


def settings(python: Path) -> dict[str, str]:
    """The settings of the pip of ``python`` as variables for uv, which reads none of pip's.

    Raises:
        Problem: it did not list them for too long.
    """
    try:
        listing = subprocess.run(
            [python, "-I", "-m", "pip", "config", "list"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        ).stdout
    except subprocess.TimeoutExpired:
        raise Problem(f"`pip config list` did not end within {PATIENCE_S:.0f} s.") from None
    # Like pip, uv trusts what the machine trusts, and takes the best version from any index.
    found = {"UV_SYSTEM_CERTS": "1", "UV_INDEX_STRATEGY": "unsafe-best-match"}
    for section in ("global", "install", ":env:"):  # the last one wins
        for name, value in re.findall(rf"^{section}\.(.+?)=(.*)$", listing, re.MULTILINE):
            if name in UV_NAMES:
                words = str(literal_eval(value)).split()
                found[UV_NAMES[name]] = ("," if name == "find-links" else " ").join(words)
    return found
