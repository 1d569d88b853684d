"""The order in which a worker may speak."""

from __future__ import annotations

import pytest

from grader.protocol.message import (
    Broken,
    Done,
    Hello,
    Loaded,
    Message,
    Notice,
    Stuck,
    Taken,
    WireError,
)
from grader.protocol.probe import Call, Job, Observation, Probe, SeenError
from grader.sandbox.transcript import Transcript

JOB = Job(
    "f.py",
    "",
    {},
    (Probe("p", (Call("a", None, "f"), Call("b", None, "g"))), Probe("q", (Call("c", None, "h"),))),
)
HELLO, TAKEN, LOADED = Hello(("limits",), 7), Taken(), Loaded()
FIRST, SECOND = Observation("p", {"a": 1, "b": 2}), Observation("q", {"c": None})
BEGUN = (HELLO, TAKEN, LOADED)


def heard(*messages: Message, job: Job | None = JOB) -> Transcript:
    transcript = Transcript()
    if job is not None:
        transcript.give(job, None)
    for one in messages:
        transcript.take(one)
    return transcript


def failure(action: str) -> SeenError:
    return SeenError("ValueError", "no", action)


def test_a_whole_conversation_is_kept() -> None:
    transcript = heard(*BEGUN, Notice("x"), FIRST, Stuck(3, "f"), SECOND, Done(("note",)))
    assert transcript.complete
    assert transcript.observations == {"p": FIRST, "q": SECOND}
    assert transcript.notes == ("note",)


def test_where_a_probe_was_stuck_is_forgotten_when_it_answers() -> None:
    assert heard(*BEGUN, Stuck(3, "f")).stuck == Stuck(3, "f")
    assert heard(*BEGUN, Stuck(3, "f"), FIRST).stuck is None


def test_the_probe_under_way_is_the_first_without_an_answer() -> None:
    assert heard(HELLO).under_way is None
    assert heard(HELLO, TAKEN).under_way is None
    assert heard(*BEGUN).under_way == "p"
    assert heard(*BEGUN, FIRST).under_way == "q"
    assert heard(*BEGUN, FIRST, SECOND).under_way is None


def test_an_error_ends_a_probe_at_its_action() -> None:
    halfway = Observation("p", {"a": 1}, failure("b"))
    assert heard(*BEGUN, halfway).under_way == "q"


def test_a_file_that_cannot_be_imported_has_no_probes_to_answer() -> None:
    assert heard(HELLO, TAKEN, Loaded(failure("import")), Done()).complete


OUT_OF_ORDER: dict[str, tuple[Message, ...]] = {
    "nothing said yet": (Done(),),
    "hello twice": (HELLO, HELLO),
    "broken after hello": (HELLO, Broken("x")),
    "hello after broken": (Broken("x"), HELLO),
    "taken twice": (HELLO, TAKEN, TAKEN),
    "loaded before taken": (HELLO, LOADED),
    "loaded twice": (*BEGUN, LOADED),
    "an answer before the import": (HELLO, TAKEN, FIRST),
    "an answer after a failed import": (HELLO, TAKEN, Loaded(failure("import")), FIRST),
    "the second answer first": (*BEGUN, SECOND),
    "an answer twice": (*BEGUN, FIRST, FIRST),
    "an answer too many": (*BEGUN, FIRST, SECOND, SECOND),
    "an unknown probe": (*BEGUN, Observation("z", {})),
    "a result that nobody asked for": (*BEGUN, Observation("p", {"a": 1, "b": 2, "c": 3})),
    "results in another order": (*BEGUN, Observation("p", {"b": 2, "a": 1})),
    "a result missing without an error": (*BEGUN, Observation("p", {"a": 1})),
    "an error at another action": (*BEGUN, Observation("p", {"a": 1}, failure("a"))),
    "an error after the last action": (*BEGUN, Observation("p", {"a": 1, "b": 2}, failure("b"))),
    "done too early": (*BEGUN, FIRST, Done()),
    "done twice": (*BEGUN, FIRST, SECOND, Done(), Done()),
    "endless progress": (*BEGUN, *[Notice("x")] * 1_000),
    "stuck forever": (*BEGUN, *[Stuck(1, "f")] * 1_000),
}


@pytest.mark.parametrize("messages", OUT_OF_ORDER.values(), ids=OUT_OF_ORDER)
def test_what_is_out_of_order_is_refused(messages: tuple[Message, ...]) -> None:
    with pytest.raises(WireError):
        heard(*messages)


def test_what_is_out_of_order_is_refused_at_its_last_message_and_not_before() -> None:
    for messages in OUT_OF_ORDER.values():
        if len(messages) < 100:
            heard(*messages[:-1])


def test_a_worker_without_a_job_has_nothing_to_say() -> None:
    with pytest.raises(WireError):
        heard(HELLO, TAKEN, job=None)
