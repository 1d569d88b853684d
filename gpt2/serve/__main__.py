"""The command line: ``python -m gpt2.serve``."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpt2.entry_point import model_option, run
from gpt2.text_generation import loading
from grader.learner.tasks import typed

if TYPE_CHECKING:
    import socket

    from rich.console import Console

    from gpt2.serve.guard import Address
    from gpt2.serve.writer import Writer

PORT = 8000
"""Where everybody's tools look for such a server."""
KEY = "SERVE_KEY"
"""The variable with a key of one's own: other users see the arguments of a process."""
SWITCH_S = 0.0002
"""How long the engine computes while an answer waits to be sent; Python's own is 5 ms."""


@click.command(context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@model_option
@click.option("--mine", is_flag=True, help="Use your own steps; each save counts at once.")
@click.option("--port", type=click.IntRange(0, 65535), help="Listen on this port; 0 takes any.")
@click.option("--host", default="127.0.0.1", help="Where to listen. Elsewhere a key is needed.")
@click.option(
    "--engine",
    "kind",
    type=click.Choice(["numpy", "auto", "max"]),
    default="numpy",
    help="numpy compiles nothing; auto lets MAX compile meanwhile; max waits for it.",
)
@click.option(
    "--limit",
    "limit_s",
    type=click.FloatRange(0.1, 86400),
    default=120.0,
    help="Seconds after which an answer is cut.",
)
def command(
    folder: Path, mine: bool, port: int | None, host: str, kind: str, limit_s: float
) -> None:
    """Serve the GPT-2 of the course behind OpenAI's interface, until Ctrl-C.

    Exit status: 0 ended, 1 one of your steps does not work, 2 wrong usage or a folder without a
    GPT-2 of this kind, 3 MAX, the machine or the port failed.
    """
    if mine and kind != "numpy":
        raise click.UsageError("--mine loads each save at once, so it runs on NumPy.")
    from rich.console import Console

    from gpt2.serve.guard import Address, is_loopback
    from gpt2.serve.writer import Writer
    from grader.learner.web.server import listen

    notes = Console(stderr=True, highlight=False, soft_wrap=True)
    listening = listen(port, PORT, host)
    key = "" if is_loopback(host) else os.environ.get(KEY) or secrets.token_urlsafe(24)
    address = Address(host, listening.getsockname()[1], key)
    with listening:
        with loading(notes):
            writer = Writer(folder, kind, mine=mine, notes=notes)
            writer.open()
            if mine:
                _tell_failing(notes)
        asyncio.run(_serve(writer, address, listening, limit_s))


async def _serve(
    writer: Writer, address: Address, listening: socket.socket, limit_s: float
) -> None:
    from gpt2.serve.connection import Connection
    from gpt2.serve.engine import Engine
    from gpt2.serve.guard import Guard
    from gpt2.serve.request import Room
    from gpt2.serve.routes import Routes, application
    from grader.learner.web.server import Server

    sys.setswitchinterval(SWITCH_S)
    engine = Engine(writer)
    room = Room(writer.name, writer.config.n_positions, writer.config.vocab_size)
    routes = Routes(engine, room, limit_s)
    server = Server(Guard(application(routes), address), routes.end, http=Connection)
    engine.start()
    print(_welcome(writer.name, address), flush=True)
    await server.serve(sockets=[listening])


def _tell_failing(notes: Console) -> None:
    """Name the steps that are known to fail. The model may write all the same."""
    from gpt2.course import failing
    from grader.learner.tasks import task

    for step in failing():
        notes.print(f"Step {step.number} fails: {task(step.id)} says why.", style="yellow")


def _welcome(model: str, address: Address) -> str:
    """What the terminal shows."""
    opening = address.home + (f"#key={address.key}" if address.key else "")
    lines = [
        f"Model {model}",
        f"   to try it: {opening}",
        f"   base_url:  {address.home}v1",
        *([f"   api_key:   {address.key}"] if address.key else []),
        "Ctrl-C ends the server.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    run(command, typed("serve", "python -m gpt2.serve"))
