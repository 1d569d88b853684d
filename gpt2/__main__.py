"""The command line: ``python -m gpt2 --prompt "…"``."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader import engine

if TYPE_CHECKING:
    from rich.console import Console

    from gpt2.tokenizer import Tokenizer

SMALL = Path(__file__).parent / "tiny"


@dataclass(frozen=True)
class Wish:
    """What to write, and how."""

    prompt: str
    max_new_tokens: int
    temperature: float
    top_k: int | None
    seed: int | None


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--model",
    "folder",
    type=click.Path(path_type=Path),
    default=SMALL,
    help="Folder of a Hugging Face GPT-2. Default: the small one that ships with the course.",
)
@click.option("--prompt", default="It is a truth", help="The text to go on with.")
@click.option("--max-new-tokens", type=click.IntRange(1), default=120, show_default=True)
@click.option(
    "--temperature",
    type=click.FloatRange(0),
    default=0.8,
    show_default=True,
    help="0 always takes the likeliest token.",
)
@click.option("--top-k", type=click.IntRange(1), default=40, show_default=True)
@click.option("--seed", type=int, help="Draw the same random numbers again.")
@click.option("--mine", is_flag=True, help="Use your own steps instead of the solutions.")
@click.option(
    "--engine",
    "kind",
    type=click.Choice(["max", "numpy"]),
    default="max",
    show_default=True,
    help="max compiles the model first; numpy starts at once and is slow.",
)
def main(
    folder: Path,
    prompt: str,
    max_new_tokens: int,
    temperature: float,
    top_k: int,
    seed: int | None,
    mine: bool,
    kind: str,
) -> None:
    """Write text with the GPT-2 of the course."""
    from rich.console import Console

    notes = Console(stderr=True, highlight=False)
    wish = Wish(prompt, max_new_tokens, temperature, top_k, seed)
    _prepare()
    try:
        _run(folder, wish, mine=mine, kind=kind, notes=notes)
    except (ValueError, OSError) as problem:
        raise click.ClickException(str(problem)) from problem
    except Exception as error:
        if not mine:
            raise
        notes.print("".join(traceback.format_exception(error)[-6:]), markup=False, style="dim")
        raise click.ClickException(
            f"One of your steps raised {type(error).__name__}: {error}\n"
            "The last line of yours above says where. Grade that step: pixi run s12"
        ) from error


def _prepare() -> None:
    """Set up MAX: small operations run on NumPy, so that nothing but the model is compiled."""
    os.environ.update(engine.environment())
    engine.install("numpy")


def _run(folder: Path, wish: Wish, *, mine: bool, kind: str, notes: Console) -> None:
    """Load, compile, write."""
    from gpt2.checkpoint import read_checkpoint
    from gpt2.course import CourseSteps
    from gpt2.tokenizer import Tokenizer

    fields, checkpoint = read_checkpoint(folder)
    tokenizer = Tokenizer.from_folder(folder if folder.is_dir() else folder.parent)
    tokens = tokenizer.encode(wish.prompt)
    if not tokens and tokenizer.end_of_text is not None:
        tokens = [tokenizer.end_of_text]
    steps = CourseSteps(mine=mine)
    model = steps.build(fields, checkpoint)
    if len(tokens) >= model.config.n_positions:
        raise ValueError(
            f"The prompt is {len(tokens)} tokens long. The model has room for "
            f"{model.config.n_positions}, new ones included."
        )
    if kind == "max":
        model = _compiled(model, notes)
    _write(
        steps.stream(model, tokens, wish.max_new_tokens, **_how(wish, tokenizer)),
        wish.prompt,
        tokenizer,
        notes,
    )


def _how(wish: Wish, tokenizer: Tokenizer) -> dict[str, Any]:
    """The keyword arguments of ``stream``."""
    import numpy as np

    return {
        "temperature": wish.temperature,
        "top_k": wish.top_k,
        "eos_token_id": tokenizer.end_of_text,
        "draws": iter(np.random.default_rng(wish.seed).random, None),
    }


def _compiled(model: Any, notes: Console) -> Any:
    """The compiled model; the model itself where MAX cannot compile it."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24, pulse_style="cyan"),
        TimeElapsedColumn(),
    )
    started = time.perf_counter()
    with Progress(*columns, console=notes, transient=True) as progress:
        progress.add_task("compiling: a minute or two the first time, then seconds", total=None)
        try:
            from gpt2.compiled import CompiledGPT2

            model = CompiledGPT2(model)
        except Exception as error:  # noqa: BLE001  a learner's code may not be made for symbols
            first = str(error).strip().partition("\n")[0]
            notes.print(
                f"MAX could not compile decode ({type(error).__name__}: {first}). "
                "It runs operation by operation instead.",
                style="yellow",
                markup=False,
            )
            return model
    notes.print(f"compiled in {time.perf_counter() - started:.1f} s", style="dim")
    return model


def _write(written: Iterator[int], prompt: str, tokenizer: Tokenizer, notes: Console) -> None:
    """Print the prompt, then the text as it comes, then how fast it came."""
    counted = _Counted(written)
    sys.stdout.write(prompt)
    try:
        for piece in tokenizer.decode_each(counted):
            sys.stdout.write(piece)
            sys.stdout.flush()
    except KeyboardInterrupt:
        pass
    sys.stdout.write("\n")
    sys.stdout.flush()
    notes.print(str(counted), style="dim")


class _Counted:
    """Passes tokens on and measures how fast they come."""

    def __init__(self, tokens: Iterator[int]) -> None:
        self._tokens = tokens
        self._count = 0
        self._seconds = 0.0

    def __iter__(self) -> Iterator[int]:
        started = time.perf_counter()
        for token in self._tokens:
            self._count += 1
            self._seconds = time.perf_counter() - started
            yield token

    def __str__(self) -> str:
        rate = self._count / self._seconds if self._seconds else 0.0
        plural = "" if self._count == 1 else "s"
        return f"{self._count} token{plural} in {self._seconds:.2f} s: {rate:.1f} a second"


if __name__ == "__main__":
    main(prog_name="gpt2")
