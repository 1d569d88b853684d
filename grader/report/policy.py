"""When a step is due, and what it costs to be late: the data of a policy, from a TOML file.

.. code-block:: toml

    time_zone = "Europe/Berlin"      # of what is below, and of platforms that name no other
    free_days = 3                    # late days of each person over the course that cost nothing
    earlier = ["grades-s03"]         # the --out of steps graded before: how many of them are gone

    [s05]
    due = 2027-01-15T23:59:59        # a date alone is the end of that day
    grace = 15                       # minutes
    per_day = 0.1                    # of the points, for each started day
    at_most = 0.5
    count = "before due"             # or "last": which of several attempts
    hidden_until = 2027-01-18        # this and the next only in Gradescope's autograder
    submissions = 5

    [s05.extensions]
    "Ada Lovelace" = 2027-01-20      # until when, or how many days longer
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from grader.base import course
from grader.base.files import Unusable

DAY = timedelta(days=1)
Count = Annotated[int, msgspec.Meta(ge=0, le=1000)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
TOLD = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]+)?"
    r" ?(?:(?P<offset>Z|[+-][0-9]{2}:?[0-9]{2})|(?P<zone>[A-Za-z_]+(?:/[A-Za-z_+-]+)*))?"
)
STAMP = re.compile(r"[0-9]{17}")
"""Sakai's: year to millisecond, in UTC."""
WORDS = re.compile(r"(?:[A-Z][a-z]+, )?(?P<told>[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}, [0-9]+:.*)")
"""Moodle's, in English."""


@dataclass(frozen=True)
class Lateness:
    """How late an answer is: in started days, of which some are ``free``; and what that keeps.

    ``when`` it was handed in, None if nobody says; ``kept`` is the share of the points.
    """

    when: datetime | None = None
    days: int = 0
    free: int = 0
    kept: float = 1.0

    @property
    def note(self) -> str:
        """What it cost, in words; empty if it was in time."""
        if self.when is None:
            return "late, but by how much is not known: the policy took nothing off"
        if not self.days:
            return ""
        free = f", {self.free} of them free" if self.free else ""
        lost = f"-{100 * (1 - self.kept):g} %" if self.kept < 1 else "no points lost"
        return f"{self.days} day{'s' * (self.days != 1)} late{free}: {lost}"


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds for one step. Times have a zone.

    ``extensions`` are by what a teacher calls people: a time, or how many days longer. ``grace`` is
    in minutes, and ``submissions`` are the first that count.
    """

    due: Any = None
    grace: Annotated[float, msgspec.Meta(ge=0, le=1e5)] = 0
    per_day: Share = 0
    at_most: Share = 1
    count: Literal["last", "before due"] = "last"
    extensions: dict[str, Any] = {}
    hidden_until: Any = None
    submissions: Count = 0

    def due_for(self, called: Iterable[str]) -> datetime | None:
        """When it is due for those with these extensions: the latest counts."""
        if self.due is None:
            return None
        more = (self.extensions[each] for each in called)
        # Added to the clock on the wall, as people do, also when the clocks change.
        ends: list[datetime] = [self.due]
        ends += [self.due + each * DAY if isinstance(each, int) else each for each in more]
        return max(ends, key=_instant)

    def last(self, due: datetime) -> datetime:
        """The last moment in time of what is due then, in UTC."""
        return _instant(due) + timedelta(minutes=self.grace)

    def lateness(self, when: datetime | None, due: datetime, free: int = 0) -> Lateness:
        """How late something is that is due then; ``free`` days cost nothing."""
        if when is None or _instant(when) <= self.last(due):
            return Lateness(when)
        wall = when.astimezone(due.tzinfo).replace(tzinfo=None)
        days = max(1, math.ceil((wall - due.replace(tzinfo=None)) / DAY))
        used = min(days, free) if self.per_day else 0
        return Lateness(when, days, used, 1 - min(self.at_most, self.per_day * (days - used)))


@dataclass(frozen=True)
class Policy:
    """The rules by step; ``earlier`` are the folders of runs that used free days before."""

    file: str = ""
    zone: tzinfo = UTC
    free_days: int = 0
    earlier: tuple[Path, ...] = ()
    rules: Mapping[str, Rule] = field(default_factory=dict)

    def told(self, text: str) -> datetime | None:
        """The time that a platform writes, without a zone the policy's; None if it is none."""
        try:
            if STAMP.fullmatch(text):
                return datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            if words := WORDS.fullmatch(text):
                clock = "%I:%M %p" if text.endswith("M") else "%H:%M"
                found = datetime.strptime(words["told"], f"%d %B %Y, {clock}")
                return found.replace(tzinfo=self.zone)
            if told := TOLD.fullmatch(text):
                found = datetime.fromisoformat(
                    f"{told['day']}T{told['time']}{told['offset'] or ''}"
                )
                zone = ZoneInfo(told["zone"]) if told["zone"] else self.zone
                return found if found.tzinfo else found.replace(tzinfo=zone)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            return None
        return None


def _instant(when: datetime) -> datetime:
    return when.astimezone(UTC)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """What a file says of all steps."""

    time_zone: str
    free_days: Count = 0
    earlier: list[str] = []


def read(path: Path) -> Policy:
    """The policy in the file at ``path``. An empty one says nothing.

    Raises:
        Unusable: it is not such a file, or says something that cannot be meant.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        steps = {name: table.pop(name) for name in [*table] if isinstance(table[name], dict)}
        if not table and not steps:
            return Policy()
        said = msgspec.convert(table, _File)
        zone = _zone(said.time_zone)
        rules = {course.find(name).id: _rule(name, given, zone) for name, given in steps.items()}
    except OSError as problem:
        raise Unusable(f"The policy {path} cannot be read: {problem.strerror}.") from None
    except ValueError as problem:
        said_why = str(problem).rstrip(".")
        raise Unusable(f"{path}: {said_why}. See Due dates in docs/teaching.md.") from None
    earlier = tuple(path.parent / each for each in said.earlier)
    return Policy(path.name, zone, said.free_days, earlier, rules)


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        known = "It should be one such as 'Europe/Berlin', and the system needs the package tzdata"
        raise ValueError(f"time_zone {name!r} is not known here. {known}") from None


def _rule(step: str, given: Mapping[str, object], zone: tzinfo) -> Rule:
    try:
        rule = msgspec.convert(given, Rule)
    except msgspec.ValidationError as problem:
        raise ValueError(f"[{step}]: {problem}") from None
    if rule.due is None and given.keys() - {"hidden_until", "submissions"}:
        raise ValueError(f"[{step}] lacks due, such as due = 2027-01-15T23:59:59")

    def at(name: str, value: object, of_day: time = time(23, 59, 59)) -> Any:
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=zone)
        if isinstance(value, date):
            return datetime.combine(value, of_day, zone)
        if value is None or (name in rule.extensions and type(value) is int and value >= 0):
            return value
        example = "2027-01-15T23:59:59 or 2027-01-15, without quotation marks"
        raise ValueError(f"[{step}]: {name} should be a time such as {example}")

    return msgspec.structs.replace(
        rule,
        due=at("due", rule.due),
        extensions={who: at(who, end) for who, end in rule.extensions.items()},
        hidden_until=at("hidden_until", rule.hidden_until, time()),
    )
