"""Reads safetensors files as NumPy arrays, without copying them into memory first.

A file is an unsigned 64-bit length, a JSON header of that length, and the numbers. The header
gives each tensor's dtype, shape, and where its bytes begin and end. Why not the package
``safetensors``: with NumPy it does not read bfloat16.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.generic]

DTYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "I64": "<i8",
    "I32": "<i4",
    "U8": "|u1",
    "BOOL": "|b1",
}
"""NumPy's names for the types of numbers; bfloat16 is read as raw bits."""

LARGEST_HEADER = 100_000_000
"""In bytes; the format's own limit."""


class BadTensorFile(ValueError):
    """A file is not a safetensors file, or is incomplete."""


def read(path: Path) -> dict[str, Array]:
    """Every tensor of the file by name, mapped from disk; bfloat16 becomes float32.

    Raises:
        BadTensorFile: if the file breaks the format.
        OSError: if it cannot be read.
    """
    size = path.stat().st_size
    if size < 8:
        raise BadTensorFile(f"{path} is too short for a safetensors file")
    data = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(data[:8].tobytes(), "little")
    if length > min(size - 8, LARGEST_HEADER):
        raise BadTensorFile(f"{path} is not a safetensors file, or only the start of one")
    try:
        header = json.loads(data[8 : 8 + length].tobytes())
        entries = {name: entry for name, entry in header.items() if name != "__metadata__"}
        return {name: _tensor(data[8 + length :], entry) for name, entry in entries.items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadTensorFile(f"{path} is not a complete safetensors file: {error}") from error


def _tensor(body: npt.NDArray[np.uint8], entry: dict[str, Any]) -> Array:
    """The array that one entry of the header describes."""
    begin, end = entry["data_offsets"]
    shape = tuple(int(size) for size in entry["shape"])
    dtype = np.dtype(DTYPES[entry["dtype"]])
    if not 0 <= begin <= end <= len(body) or end - begin != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"bytes {begin} to {end} do not hold {shape} of {entry['dtype']}")
    array: Array = body[begin:end].view(dtype).reshape(shape)
    if entry["dtype"] == "BF16":
        return (array.astype(np.uint32) << 16).view(np.float32)
    return array
