"""The environment variables that must be set before MAX is imported.

The parent needs them before it starts the worker, so this module imports next to nothing.
"""

from __future__ import annotations

import os
import sys


def environment() -> dict[str, str]:
    """Return the variables to set before MAX is imported.

    They disable telemetry (which stalls a machine without network) and background compilers, give
    NumPy's matrix products one thread, and name Python's library, because MAX would otherwise run
    whatever ``python3`` is on PATH to find it.
    """
    variables = {
        "MODULAR_TELEMETRY_ENABLED": "0",
        "MAX_EAGER_EXECUTOR": "interpreter",
        "OPENBLAS_NUM_THREADS": "1",
    }
    library = _python_library()
    if library is not None:
        variables["MOJO_PYTHON_LIBRARY"] = library
    return variables


def _python_library() -> str | None:
    """Find the shared library of this interpreter; runs nothing and imports nothing slow.

    MAX needs a file that exists and then uses the running interpreter, so on Linux the
    executable will do if Python was built without a shared library.
    """
    ending = "dylib" if sys.platform == "darwin" else "so"
    version = f"{sys.version_info.major}.{sys.version_info.minor}{sys.abiflags}"
    multiarch = getattr(sys.implementation, "_multiarch", "")  # Debian and Ubuntu
    for folder in ("lib", f"lib/{multiarch}"):
        path = f"{sys.base_prefix}/{folder}/libpython{version}.{ending}"
        if os.path.isfile(path):  # noqa: PTH113 - importing pathlib takes 6 ms
            return path
    return os.path.realpath(sys.executable) if sys.platform == "linux" else None
