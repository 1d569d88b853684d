"""Stands in for the course's ``gpt2.checkpoint`` where step 11 is graded: the path is the file."""

import json
from typing import Any

import numpy as np


def read_checkpoint(path: object) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields and arrays that ``path`` spells in JSON."""
    fields, arrays = json.loads(str(path))
    return fields, {name: np.array(array, np.float32) for name, array in arrays.items()}
