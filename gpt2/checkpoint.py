"""Reads a GPT-2 checkpoint as Hugging Face stores it: ``config.json`` and safetensors files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from gpt2 import tensorfile
from gpt2.tensorfile import Array

FIELDS = (
    "vocab_size",
    "n_positions",
    "n_embd",
    "n_layer",
    "n_head",
    "n_inner",
    "activation_function",
    "layer_norm_epsilon",
    "bos_token_id",
    "eos_token_id",
)
"""The keys of ``config.json`` that ``GPT2Config`` has and a model depends on."""

SIZES = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")

REQUIRED: dict[str, tuple[Any, ...]] = {
    "model_type": ("gpt2",),
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "add_cross_attention": (False,),
    "tie_word_embeddings": (True,),
}
"""Settings that the course's GPT-2 has built in; a checkpoint with others is refused."""

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"


class NoCheckpoint(ValueError):
    """No GPT-2 here, or one of a kind that the course does not build."""


def read_checkpoint(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Array]]:
    """The fields of a ``GPT2Config`` and the arrays under their names in the files.

    Args:
        path: A folder with ``config.json`` and ``model.safetensors``, or an index and its
            shards; or one such file, with ``config.json`` next to it.

    Raises:
        NoCheckpoint: if a file is missing or the model is not a GPT-2 of the course's kind.
        tensorfile.BadTensorFile: if a file is damaged.
    """
    place = Path(path)
    folder = place if place.is_dir() else place.parent
    if not place.exists():
        raise NoCheckpoint(f"{place} does not exist. Name the folder of a Hugging Face GPT-2.")
    return read_config(folder), read_weights(place)


def read_config(folder: Path) -> dict[str, Any]:
    """The fields of ``GPT2Config``, from ``config.json`` in ``folder``."""
    config = _json(folder / "config.json")
    for name, allowed in REQUIRED.items():
        if config.get(name, allowed[0]) not in allowed:
            raise NoCheckpoint(
                f"{folder / 'config.json'} says {name}: {config[name]!r}. "
                f"The GPT-2 of this course has {allowed[0]!r}."
            )
    fields = {name: config[name] for name in FIELDS if name in config}
    for problem in _oddities(fields):
        raise NoCheckpoint(f"{folder / 'config.json'} {problem}")
    return fields


def _oddities(fields: dict[str, Any]) -> Iterator[str]:
    """The values that no model can be built from."""
    for name in SIZES:
        value = fields.get(name, 1)
        if type(value) is not int or value < 1:
            yield f"says {name}: {value!r}. That must be a whole number above 0."
    inner = fields.get("n_inner")
    if inner is not None and (type(inner) is not int or inner < 1):
        yield f"says n_inner: {inner!r}. That must be null or a whole number above 0."
    epsilon = fields.get("layer_norm_epsilon", 1e-5)
    if type(epsilon) not in (int, float) or not 0 <= epsilon < 1:
        yield f"says layer_norm_epsilon: {epsilon!r}. That must be a small number."
    if fields.get("n_embd", 768) % fields.get("n_head", 12):
        yield "has an n_embd that n_head does not divide."


def read_weights(place: Path) -> dict[str, Array]:
    """All arrays of a safetensors file, or of all such files in a folder."""
    if place.is_file() and place.suffix == ".safetensors":
        return tensorfile.read(place)
    folder = place if place.is_dir() else place.parent
    index = place if place.is_file() else folder / INDEX
    if (folder / WEIGHTS).is_file() and place.is_dir():
        return tensorfile.read(folder / WEIGHTS)
    if not index.is_file():
        old = "pytorch_model.bin" if (folder / "pytorch_model.bin").is_file() else ""
        raise NoCheckpoint(
            f"{folder} has neither {WEIGHTS} nor {INDEX}."
            + (f" Load its {old} with transformers, and save_pretrained writes one." if old else "")
        )
    names = _json(index).get("weight_map")
    if not isinstance(names, dict):
        raise NoCheckpoint(f"{index} names no shards: it has no weight_map.")
    found: dict[str, Array] = {}
    for shard in sorted(set(names.values())):
        if Path(shard).name != shard:
            raise NoCheckpoint(f"{index} names a file outside its folder: {shard}")
        if not (folder / shard).is_file():
            raise NoCheckpoint(f"{folder / shard} is missing, though {index.name} names it.")
        found |= tensorfile.read(folder / shard)
    return found


def _json(path: Path) -> dict[str, Any]:
    """The object in a JSON file."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NoCheckpoint(f"{path} is missing. Name the folder of a Hugging Face GPT-2.") from None
    except (OSError, ValueError) as error:
        raise NoCheckpoint(f"{path} cannot be read: {error}") from error
    if not isinstance(value, dict):
        raise NoCheckpoint(f"{path} does not contain a JSON object.")
    return value
