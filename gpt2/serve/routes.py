"""What the server can be asked for, in OpenAI's form."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from gpt2.serve.engine import Answer, Engine, Told, complete
from gpt2.serve.errors import ApiError
from gpt2.serve.request import Room, parse
from gpt2.serve.response import CompletionResponse
from grader.learner.web.body import json_object

if TYPE_CHECKING:
    from starlette.requests import Request

PAGE = Path(__file__).resolve().parent / "page"
MOST_BODY = 1 << 20
SHORT = 4096
"""Bytes of a body that is read faster than another thread can be asked to."""
MOST_OPEN = 100
"""Requests that are answered or wait for it. One more is told to come again."""
ENDING = "The server is ending."
SLOW = "Not complete after {:g} s. Ask for less, or start the server with a longer --limit."


class Routes:
    """Answers each request."""

    def __init__(self, engine: Engine, room: Room, limit_s: float) -> None:
        self._engine, self._room, self._limit_s = engine, room, limit_s
        self._open: set[Answer] = set()
        self._reading = 0
        self._started = int(time.time())
        self._ending = False

    def routes(self) -> list[Route]:
        """Every route."""
        return [
            Route("/", lambda _: FileResponse(PAGE / "index.html")),
            Route("/page.js", lambda _: FileResponse(PAGE / "page.js")),
            Route("/page.css", lambda _: FileResponse(PAGE / "page.css")),
            Route("/health", self._health),
            Route("/v1/models", self._models),
            Route("/v1/models/{name}", self._model),
            Route("/v1/completions", self._completions, methods=["POST"]),
        ]

    def end(self) -> None:
        """Cut every answer, and tell who waits for it."""
        self._ending = True
        for answer in self._open:
            answer.tell(0, ApiError(503, ENDING))

    async def _health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "open": len(self._open)})

    async def _models(self, _: Request) -> Response:
        return JSONResponse({"object": "list", "data": [self._described()]})

    async def _model(self, request: Request) -> Response:
        if request.path_params["name"] != self._room.model:
            raise ApiError(404, f"This server has {self._room.model!r}.", code="model_not_found")
        return JSONResponse(self._described())

    def _described(self) -> dict[str, Any]:
        return {
            "id": self._room.model,
            "object": "model",
            "created": self._started,
            "owned_by": "attention-course",
            "max_model_len": self._room.positions,
        }

    async def _completions(self, request: Request) -> Response:
        deadline = asyncio.get_running_loop().time() + self._limit_s
        if self._ending:
            raise ApiError(503, ENDING)
        if len(self._open) + self._reading >= MOST_OPEN:
            said = f"{MOST_OPEN} requests are open already."
            raise ApiError(429, said, code="rate_limit_exceeded")
        self._reading += 1
        try:
            body = await json_object(request, MOST_BODY)
            tokenizer = self._engine.writer.tokenizer
            if int(request.headers.get("content-length", MOST_BODY)) <= SHORT:
                wanted = parse(body, tokenizer, self._room)
            else:
                wanted = await asyncio.to_thread(parse, body, tokenizer, self._room)
        finally:
            self._reading -= 1
        answer = self._engine.order(wanted)
        self._open.add(answer)
        form = CompletionResponse(self._room.model, f"cmpl-{secrets.token_hex(12)}", wanted)
        try:
            if not wanted.stream:
                return await self._whole(request, answer, form, deadline)
            first = await self._news(answer, deadline)
        except BaseException:
            self._close(answer)
            raise
        events = self._events(answer, form, first, deadline)
        return StreamingResponse(events, media_type="text/event-stream")

    def _close(self, answer: Answer) -> None:
        answer.gone = True
        self._open.discard(answer)

    async def _news(self, answer: Answer, deadline: float) -> list[Told]:
        """What is new about it; an error is the last of it.

        Raises:
            Refused: there is nothing but an error, or it took too long.
        """
        try:
            async with asyncio.timeout_at(deadline):
                news = await answer.take()
        except TimeoutError:
            raise ApiError(503, SLOW.format(self._limit_s), code="timeout") from None
        if news and isinstance(news[0][1], ApiError):
            raise news[0][1]
        return news

    async def _whole(
        self, request: Request, answer: Answer, form: CompletionResponse, deadline: float
    ) -> Response:
        """The complete answer, or nothing for a client that left meanwhile."""

        async def collect() -> list[Told]:
            every: list[Told] = []
            while complete(every) < form.choices:
                every += await self._news(answer, deadline)
                _raise(every)
            return every

        collecting = asyncio.create_task(collect())
        leaving = asyncio.create_task(_left(request))
        try:
            await asyncio.wait((collecting, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not collecting.done():
                return Response(status_code=499)
            return JSONResponse(form.whole(collecting.result()))
        finally:
            collecting.cancel()
            leaving.cancel()
            self._close(answer)

    async def _events(
        self, answer: Answer, form: CompletionResponse, news: list[Told], deadline: float
    ) -> AsyncIterator[str]:
        """The answer as server-sent events. What goes wrong is an event too, and the last."""
        ended = 0
        try:
            while True:
                ended += complete(news)
                yield "".join(_event(one) for one in form.chunks(news))
                _raise(news)
                if ended == form.choices:
                    break
                news = await self._news(answer, deadline)
            last = [_event(form.counted())] if form.asked.usage else []
            yield "".join((*last, "data: [DONE]\n\n"))
        except ApiError as refused:
            yield _event(refused.body)
        finally:
            self._close(answer)


def _raise(news: list[Told]) -> None:
    """Raise the error among them, if there is one."""
    for _, one in news:
        if isinstance(one, ApiError):
            raise one


def _event(about: dict[str, Any]) -> str:
    return f"data: {json.dumps(about, ensure_ascii=False)}\n\n"


async def _left(request: Request) -> None:
    """Wait until the client leaves."""
    with suppress(RuntimeError):
        while (await request.receive())["type"] != "http.disconnect":
            pass


def application(routes: Routes) -> Starlette:
    """The routes, and errors in OpenAI's form."""
    return Starlette(
        routes=routes.routes(),
        exception_handlers={ApiError: _refused, HTTPException: _other, Exception: _broken},
    )


async def _refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, ApiError)  # noqa: S101
    return problem.response()


async def _other(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)  # noqa: S101
    said = problem.detail
    if problem.status_code in (404, 405):
        said = f"There is no {request.method} {request.url.path[:100]} here, only /v1/completions."
    return ApiError(problem.status_code, said).response({**(problem.headers or {})})


async def _broken(_: Request, problem: Exception) -> Response:
    return ApiError(500, f"The server itself failed: {type(problem).__name__}.").response()
