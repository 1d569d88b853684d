"""What must be true before MAX is imported: environment variables. Standard library only."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path


def environment() -> dict[str, str]:
    """The variables to set before MAX is imported.

    No telemetry (it stalls a machine without network), no background compilers, one thread
    for NumPy's matrix products, and the interpreter's shared library, which MAX would
    otherwise look for by running ``python3``.
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
    """The shared library of this interpreter, where it has one; runs nothing."""
    name = sysconfig.get_config_var("LDLIBRARY") or ""
    for folder in (sysconfig.get_config_var("LIBDIR") or "", f"{sys.base_prefix}/lib"):
        path = Path(folder) / name
        if folder and ".so" in name and path.is_file():
            return str(path)
    return None
