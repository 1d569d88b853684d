"""The requests that a page of the desk can make."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

from grader.base.files import Unusable
from grader.learner import pages, progress
from grader.learner.desk import text
from grader.learner.desk.book import Book, Files
from grader.learner.desk.view_model import STYLE
from grader.learner.reset import reset
from grader.learner.web.body import Json, json_object
from grader.rubric.exhibit import NoExhibit

if TYPE_CHECKING:
    from starlette.requests import Request

    from grader.learner.desk.hub import Hub
    from grader.learner.desk.session import Desk, Place

STATIC = Path(__file__).resolve().parent / "static"
MOST_BODY = 2 << 20
"""Bytes of a request: JSON may need six bytes for a character of the file."""
MOST_TEXT = 200
"""Characters of a text for the learner's attention heads."""


class Routes:
    """Answers each request with what the desk knows or does."""

    def __init__(self, desk: Desk, hub: Hub) -> None:
        self._desk = desk
        self._hub = hub

    def routes(self) -> list[Route]:
        """Return every route of the desk; only the course's steps are valid names."""
        step = "/api/steps/{step}"
        return [
            Route("/api/events", self._events),
            Route(step, self._open),
            Route(step, self._save, methods=["PUT"]),
            Route(f"{step}/difference", self._difference, methods=["POST"]),
            Route(f"{step}/keep", self._keep, methods=["POST"]),
            Route(f"{step}/heads", self._heads),
            Route(f"{step}/hint", self._hint, methods=["POST"]),
            Route(f"{step}/reset", self._reset, methods=["POST"]),
            Route(f"{step}/solution", self._solution),
        ]

    # ---- the file -----------------------------------------------------------------------------

    async def _open(self, request: Request) -> Response:
        return JSONResponse(self._desk.open(self._place(request)))

    async def _save(self, request: Request) -> Response:
        """Write the file; answer 409 with both texts if it was changed elsewhere."""
        place, body = self._place(request), await json_object(request, MOST_BODY)
        content, base, window = (_word(body, name) for name in ("text", "base", "window"))
        try:
            digest = self._desk.save(place, content, base, window)
        except text.Conflict as conflict:
            theirs = conflict.theirs
            told = {"text": theirs.text, "digest": theirs.digest, "problem": theirs.problem}
            return JSONResponse(told, 409)
        except text.TooLarge:
            raise HTTPException(413, "The grader reads at most 256 KiB.") from None
        except OSError as problem:
            raise HTTPException(507, f"Not saved: {problem.strerror or problem}.") from problem
        return JSONResponse({"digest": digest})

    async def _difference(self, request: Request) -> Response:
        """Return how the text in the request differs from the file."""
        place, body = self._place(request), await json_object(request, MOST_BODY)
        theirs = text.read(place.step).text
        mine = _word(body, "text")
        return JSONResponse({"lines": await asyncio.to_thread(text.difference, theirs, mine)})

    async def _keep(self, request: Request) -> Response:
        """Save the text in the request among the copies."""
        place, body = self._place(request), await json_object(request, MOST_BODY)
        content = _word(body, "text")
        if len(content.encode("utf-8", "replace")) > MOST_BODY:
            raise HTTPException(413, "Too large to keep.")
        return JSONResponse({"kept": text.keep(place.step, content)})

    async def _reset(self, request: Request) -> Response:
        place = self._place(request)
        try:
            said = reset(place.step)
        except Unusable as problem:
            raise HTTPException(507, str(problem)) from problem
        self._desk.look(place)
        self._hub.tell("progress", "", self._desk.progress())
        return JSONResponse({"said": said})

    # ---- help ---------------------------------------------------------------------------------

    async def _hint(self, request: Request) -> Response:
        place = self._place(request)
        found = await self._desk.hint(place)
        if found is None:
            return JSONResponse({"said": "Nothing is graded yet.\n"})
        return JSONResponse({"said": pages.hint_page(place.step, found, STYLE, keys=True)})

    async def _solution(self, request: Request) -> Response:
        """Return how the reference differs from the file: after a pass, or on explicit request."""
        place = self._place(request)
        known = progress.read(place.step.root)[0].get(place.step.id, progress.UNTOUCHED)
        if not known.passed and request.query_params.get("now") != "1":
            return JSONResponse({"said": "", "passed": False})
        said = await asyncio.to_thread(pages.solution_page, place.step)
        return JSONResponse({"said": said, "passed": True})

    async def _heads(self, request: Request) -> Response:
        """Return the learner's attention heads on a text of the reader's choice."""
        words = request.query_params.get("text", "")[:MOST_TEXT] or None
        try:
            found = await asyncio.to_thread(self._desk.heads, self._place(request), words)
        except NoExhibit as problem:
            raise HTTPException(400, str(problem)) from None
        return JSONResponse(found)

    # ---- everything else ----------------------------------------------------------------------

    async def _events(self, _: Request) -> Response:
        return StreamingResponse(self._hub.listen(), media_type="text/event-stream")

    def _place(self, request: Request) -> Place:
        """Return the step that the URL names; nothing else can be read or written."""
        place = self._desk.places.get(request.path_params["step"])
        if place is None:
            raise HTTPException(404, "The course has no such step.")
        return place


def application(desk: Desk, hub: Hub, book: Path) -> Starlette:
    """Build the application: the book, what its pages load, and what they request."""
    return Starlette(
        routes=[
            *Routes(desk, hub).routes(),
            Mount("/_desk", Files(directory=STATIC)),
            Mount("/", Book(book)),
        ],
        exception_handlers={HTTPException: _refused, Exception: _broken},
    )


async def _refused(_: Request, problem: Exception) -> Response:
    if isinstance(problem, HTTPException):
        return PlainTextResponse(problem.detail, problem.status_code, problem.headers)
    return await _broken(_, problem)


async def _broken(_: Request, problem: Exception) -> Response:
    said = f"The desk itself failed: {type(problem).__name__}. This is not your mistake."
    return PlainTextResponse(said, 500)


def _word(body: Json, name: str) -> str:
    """Return a text field of the request; empty if it is missing."""
    found = body.get(name, "")
    if not isinstance(found, str):
        raise HTTPException(400, f"{name} is not text.")
    try:
        found.encode()
    except UnicodeEncodeError:
        said = f"{name} has half a character (a lone surrogate), which no file can hold. Delete it."
        raise HTTPException(400, said) from None
    return found
