"""Checkpoint folders: what is read of them, and how a damaged one is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gpt2 import tensorfile
from gpt2.checkpoint import NoCheckpoint, read_checkpoint
from gpt2.tokenizer import NoTokenizer, Tokenizer
from tests.gpt2.test_gpt2 import PROMPT, WEIGHTS, damage, folder, write_tensors

__all__ = ["folder"]  # a fixture


@pytest.mark.parametrize("dtype", ["F16", "BF16"])
def test_half_precision_is_read_as_it_is(folder: Path, dtype: str) -> None:
    write_tensors(folder / "model.safetensors", WEIGHTS, dtype)
    _, found = read_checkpoint(folder)
    name = "transformer.wte.weight"
    assert np.allclose(found[name], WEIGHTS[name], rtol=2**-7, atol=0)


def test_shards_are_read_together(folder: Path) -> None:
    _, whole = read_checkpoint(folder)
    (folder / "model.safetensors").unlink()
    names = sorted(WEIGHTS)
    shards = {"a.safetensors": names[:5], "b.safetensors": names[5:]}
    for shard, part in shards.items():
        write_tensors(folder / shard, {name: WEIGHTS[name] for name in part})
    index = {"weight_map": {name: shard for shard, part in shards.items() for name in part}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    for place in (folder, folder / "model.safetensors.index.json"):
        _, found = read_checkpoint(place)
        assert found.keys() == whole.keys()
        assert all(np.array_equal(found[name], whole[name]) for name in whole)
    (folder / "b.safetensors").unlink()
    with pytest.raises(NoCheckpoint, match=r"b\.safetensors is missing"):
        read_checkpoint(folder)


@pytest.mark.parametrize("pairs", [True, False])
def test_one_tokenizer_file_gives_the_same_tokens(folder: Path, pairs: bool) -> None:
    before = Tokenizer.from_folder(folder)
    lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")
    merges = [line for line in lines if line and not line.startswith("#version")]
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    end = vocabulary.pop("<|endoftext|>")
    whole = {
        "added_tokens": [{"id": end, "content": "<|endoftext|>", "special": True}],
        "model": {
            "type": "BPE",
            "vocab": vocabulary,
            "merges": [merge.split(" ") for merge in merges] if pairs else merges,
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(whole))
    (folder / "merges.txt").unlink()
    text = "It's 12 o'clock, \n naïve “Emma”<|endoftext|> 日本"
    after = Tokenizer.from_folder(folder)
    assert after.encode(text) == before.encode(text)
    assert after.decode(after.encode(text)) == text


def read_everything(folder: Path) -> None:
    read_checkpoint(folder)
    Tokenizer.from_folder(folder).encode(PROMPT)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no config": (lambda f: (f / "config.json").unlink(), "config.json is missing"),
    "config is a list": (lambda f: (f / "config.json").write_text("[]"), "not contain a JSON"),
    "config is binary": (lambda f: (f / "config.json").write_bytes(b"\xff\x00"), "cannot be read"),
    "another model": (lambda f: damage(f, model_type="llama"), "model_type: 'llama'"),
    "another GELU": (lambda f: damage(f, activation_function="relu"), "activation_function"),
    "text for a size": (lambda f: damage(f, n_embd="12"), "n_embd: '12'"),
    "no heads": (lambda f: damage(f, n_head=0), "n_head: 0"),
    "heads do not divide": (lambda f: damage(f, n_head=5), "does not divide"),
    "bad epsilon": (lambda f: damage(f, layer_norm_epsilon="x"), "layer_norm_epsilon"),
    "no weights": (lambda f: (f / "model.safetensors").unlink(), "neither model.safetensors"),
    "half a file": (lambda f: cut(f / "model.safetensors"), "not a complete safetensors file"),
    "no safetensors": (
        lambda f: (f / "model.safetensors").write_bytes(b"GGUF" * 9),
        "not a safetensors file",
    ),
    "empty weights": (lambda f: (f / "model.safetensors").write_bytes(b""), "too short"),
    "no tokenizer": (lambda f: (f / "vocab.json").unlink(), "neither vocab.json"),
    "half a vocabulary": (lambda f: cut(f / "vocab.json"), "tokenizer in"),
    "ids that are none": (lambda f: (f / "vocab.json").write_text('{"a": "b"}'), "whole numbers"),
    "a poor vocabulary": (lambda f: (f / "vocab.json").write_text('{"a": 1}'), "lacks"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_folder_is_told_apart(folder: Path, name: str) -> None:
    break_it, words = DAMAGES[name]
    break_it(folder)
    with pytest.raises((NoCheckpoint, NoTokenizer, tensorfile.BadTensorFile)) as error:
        read_everything(folder)
    assert words in str(error.value)
