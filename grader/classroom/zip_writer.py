"""Writes zip files: equal files give equal archives, whoever packs them and when."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Container, Mapping

DATE = (2020, 1, 1, 0, 0, 0)
"""The date of every file."""


def packed(files: Mapping[str, bytes], programs: Container[str] = ()) -> bytes:
    """Pack ``files``, content by name; those in ``programs`` are executable."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name in programs else 0o100644) << 16
            archive.writestr(entry, content)
    return data.getvalue()
