"""``python -m gpt2`` on the shipped model, on checkpoint folders, and on a learner's own steps.

All of it runs on the engine of the grader, so nothing is compiled; the compiled model has a test
of its own that is marked ``native``.
"""

from __future__ import annotations

import json
import lzma
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checks.step_12 import oracle, sampling
from gpt2.tokenizer import Tokenizer
from grader.base.course import ROOT
from tests import ran

SMALL = ROOT / "gpt2" / "tiny"
SIZES = {"vocab_size": 2048, "n_positions": 24, "n_embd": 12, "n_layer": 2, "n_head": 3}
PROMPT = "Emma could not"
TURNED = ("c_attn.weight", "c_proj.weight", "c_fc.weight")


def run(
    *arguments: str, root: Path = ROOT, limit_s: float = 120, **more: str
) -> subprocess.CompletedProcess[str]:
    """``python -m gpt2`` with the engine that compiles nothing."""
    words = ("-m", "gpt2", "--engine", "numpy", *arguments)
    return ran.python(*words, cwd=root, timeout_s=limit_s, **more)


def random_weights(seed: int) -> dict[str, Any]:
    """Weights of a small GPT-2 under the course's names, Linear weights as ``[out, in]``."""
    rng = np.random.default_rng(seed)
    width = SIZES["n_embd"]
    shapes = {"wte.weight": (2048, width), "wpe.weight": (24, width), "ln_f.weight": (width,)}
    shapes["ln_f.bias"] = (width,)
    for index in range(SIZES["n_layer"]):
        for name, size in (("attn.c_attn", 3), ("mlp.c_fc", 4), ("attn.c_proj", 1)):
            shapes[f"h.{index}.{name}.weight"] = (size * width, width)
            shapes[f"h.{index}.{name}.bias"] = (size * width,)
        shapes[f"h.{index}.mlp.c_proj.weight"] = (width, 4 * width)
        shapes |= {
            f"h.{index}.{name}": (width,)
            for name in ("mlp.c_proj.bias", "ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias")
        }
    return {
        f"transformer.{name}": rng.standard_normal(shape).astype(np.float32) * 0.6
        for name, shape in shapes.items()
    }


def write_tensors(path: Path, arrays: dict[str, Any], dtype: str = "F32") -> None:
    """Write a safetensors file, matrices turned as Hugging Face keeps them."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    body = b""
    for name, array in arrays.items():
        stored = np.ascontiguousarray(array.T if name.endswith(TURNED) else array)
        if dtype == "BF16":
            data = (stored.view(np.uint32) >> 16).astype("<u2").tobytes()
        else:
            data = stored.astype({"F32": "<f4", "F16": "<f2"}[dtype]).tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": dtype, "shape": list(stored.shape), "data_offsets": offsets}
        body += data
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + body)


WEIGHTS = random_weights(1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint with random weights and the shipped tokenizer."""
    place = tmp_path / "checkpoint"
    place.mkdir()
    (place / "config.json").write_text(json.dumps({"model_type": "gpt2", **SIZES}))
    write_tensors(place / "model.safetensors", WEIGHTS)
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(SMALL / name, place)
    return place


# ---- writing ------------------------------------------------------------------------------


def test_the_shipped_model_writes_words() -> None:
    done = run("--tokens", "11", "--seed", "2", "--prompt", "It is a truth")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("It is a truth")
    assert re.search(r"11 tokens in [\d.]+ s: [\d.]+ a second", done.stderr)
    novels = lzma.decompress((ROOT / "tools/austen.txt.xz").read_bytes()).decode()
    known = set(re.findall(r"[a-z]+", novels.lower()))
    written = re.findall(r"[a-z]+", done.stdout.removeprefix("It is a truth").lower())[:-1]
    assert len(written) >= 5
    assert sum(word in known for word in written) >= 0.8 * len(written)


def test_greedy_text_is_the_oracles(folder: Path) -> None:
    tokenizer = Tokenizer.from_folder(folder)
    prompt = tokenizer.encode(PROMPT)
    model = oracle.writer(WEIGHTS, SIZES, len(prompt), use_cache=True)
    text = sampling.generate(model, prompt, 6, context=SIZES["n_positions"])
    done = run("--model", str(folder), "--prompt", PROMPT, "--temperature", "0", "--tokens", "6")
    assert (done.returncode, done.stdout) == (0, tokenizer.decode(text) + "\n"), done.stderr


def test_a_full_model_says_so(folder: Path) -> None:
    prompt = "the " * 21
    done = run("--model", str(folder), "--prompt", prompt, "--tokens", "1000000")
    assert done.returncode == 0
    assert "room for 24 tokens" in done.stderr


def test_an_empty_prompt_begins_a_text(folder: Path) -> None:
    done = run("--model", str(folder), "--prompt", "", "--tokens", "2", "--seed", "1")
    assert (done.returncode, "2 tokens" in done.stderr) == (0, True), done.stderr


READS_IDS = """
import os
from types import SimpleNamespace
from grader.frameworks.max import engine
os.environ.update(engine.environment())
engine.install("numpy")
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from gpt2.decoding import nothing_to_stage

def decode(ids):
    return Tensor(ids.to_numpy() + 1.0)

def stream():
    for _ in range(2):
        with F.lazy():
            logits = decode(Tensor([[1, 2]], dtype=DType.int64))
        yield logits.to_numpy().tolist()

with nothing_to_stage():
    print(list(stream()))
print(list(stream()))
"""


def test_a_model_that_reads_its_ids_writes_inside_a_lazy_block() -> None:
    done = ran.python("-c", READS_IDS)
    assert done.stdout == "[[[2.0, 3.0]], [[2.0, 3.0]]]\n"
    assert "Can't realize tensor" in done.stderr  # outside the block F.lazy is what it was


@pytest.mark.native
def test_the_compiled_model_writes_the_same(folder: Path) -> None:
    how = ("--model", str(folder), "--prompt", PROMPT, "--temperature", "0", "--tokens", "6")
    plain, compiled = run(*how), run(*how, "--engine", "max", limit_s=600)
    assert "compiled in" in compiled.stderr
    assert compiled.stdout == plain.stdout


STAGED = """
import os, sys
from pathlib import Path
from grader.frameworks.max import engine
os.environ.update(engine.environment())
engine.install("numpy")
from gpt2 import decoding, staging
from gpt2.checkpoint import read_checkpoint
from gpt2.course import CourseSteps
from grader.frameworks.max.engine.replay import Replay

steps = CourseSteps(mine=False)
model = steps.build(*read_checkpoint(Path(sys.argv[1])))
prompt = [5, 1, 2047, 3, 3, 8, 9]
plain = list(steps.stream(model, prompt, 12))
for piece in (1, 2, 3, 256):
    staged = staging.stage(model, piece=piece)
    fast = decoding.DecodingGPT2(model, Replay(staged.whole, staged.arrays()), piece)
    with decoding.nothing_to_stage():
        assert list(steps.stream(fast, prompt, 12)) == plain, piece
        assert list(steps.stream(fast, prompt, 3, use_cache=False)) == plain[:3], piece
assert model._attend.__globals__["causal_mask"].__module__ == "solutions.solution_02"
"""


@pytest.mark.any_python
@pytest.mark.whole
def test_one_staged_graph_writes_what_the_model_writes(folder: Path) -> None:
    ran.said("-c", STAGED, folder)


class Ways:
    """Ways to run a graph: what was called is noted, and only a clock of their own advances."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self._now = 0.0
        monkeypatch.setattr("gpt2.decoding.time.perf_counter", lambda: self._now)

    def way(self, name: str, seconds: float, logit: float) -> Callable[..., Any]:
        """One that takes that long."""

        def run(*arrays: Any) -> Any:
            self.calls.append(name)
            self._now += seconds
            return [np.full(3, logit), *arrays[1:]]

        return run

    def taken(self, other_s: float, logit: float) -> list[str]:
        """What writes a prompt and nine tokens, if the other way is ready for the fourth call."""
        from gpt2.decoding import Quicker

        ready: list[Any] = [None, None, None, *[self.way("other", other_s, logit)] * 9]
        quicker = Quicker(self.way("first", 0.01, 1.0), lambda: ready.pop(0))
        for length in (9, *[1] * 9):
            quicker(np.zeros((1, length)))
        return self.calls


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> Ways:
    return Ways(monkeypatch)


@pytest.mark.parametrize(
    ("other_s", "tried", "last"), [(0.001, 3, "other"), (0.015, 3, "first"), (0.03, 1, "first")]
)
def test_the_quicker_way_is_kept(ways: Ways, other_s: float, tried: int, last: str) -> None:
    calls = ways.taken(other_s, 1.0)
    assert calls[:5] == ["first"] * 4 + ["other"]  # the fourth runs both ways
    assert calls[5:] == ["other"] * tried + [last] * (6 - tried)


def test_a_way_with_other_numbers_is_not_taken(ways: Ways) -> None:
    assert ways.taken(0.001, 1.1) == ["first"] * 4 + ["other"] + ["first"] * 6


# ---- usage --------------------------------------------------------------------------------


def damage(folder: Path, **changes: Any) -> None:
    """Change entries of the configuration."""
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **changes}))


def test_wrong_usage_has_status_2_and_no_traceback(folder: Path, tmp_path: Path) -> None:
    wrong = {
        "does not exist": ("--model", str(tmp_path / "nowhere")),
        "model has room for 24": ("--model", str(folder), "--prompt", "the " * 40),
        "nan is not a number": ("--temperature", "nan"),
        "x>=1": ("--tokens", "0"),
    }
    for words, arguments in wrong.items():
        done = run(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert words in done.stderr
        assert "Traceback" not in done.stderr


def test_weights_that_do_not_fit_are_named(folder: Path) -> None:
    damage(folder, n_layer=3, n_inner=7)
    done = run("--model", str(folder))
    assert done.returncode == 2
    assert "missing: transformer.h.2.ln_1.weight" in done.stderr
    assert "transformer.h.0.mlp.c_fc.weight has shape (48, 12), expected (7, 12)" in done.stderr
    assert "Traceback" not in done.stderr
