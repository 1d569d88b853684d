"""When a step is due, and what it costs to be late: the data of a policy, from a TOML file.

.. code-block:: toml

    time_zone = "Europe/Berlin"      # of what is below, and of platforms that name no other
    free_days = 3                    # late days of each person over the course that cost nothing
    earlier = ["grades-s03"]         # the --out of steps graded before: how many of them are gone

    [s05]
    due = 2027-01-15T23:59:59        # a date alone is the end of that day
    grace = "15 min"
    per_day = "10 %"                 # of the points, for each started day
    at_most = "50 %"
    count = "before due"             # or "last": which of several attempts
    hidden_until = 2027-01-18        # this and the next only in Gradescope's autograder
    submissions = 5

    [s05.extensions]
    "Ada Lovelace" = 2027-01-20      # until when, or how much longer: "3 days"
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from grader.base import course
from grader.base.files import Unusable

DAY = timedelta(days=1)
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
LENGTH = re.compile(r"(?P<count>[0-9]{1,5}(?:\.[0-9]{1,3})?) *(?P<unit>[smhdw])[a-z]*")
COUNTS = ("last", "before due")
ALL = ("time_zone", "free_days", "earlier")
EACH = (
    *("due", "grace", "per_day", "at_most", "count", "extensions"),
    *("hidden_until", "submissions"),
)
TOLD = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[T ](?P<time>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]+)?"
    r" ?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2}|[A-Za-z_]+(?:/[A-Za-z_+-]+)*)?"
)
STAMP = re.compile(r"[0-9]{17}")
"""Sakai's: year to millisecond, in UTC."""
WORDS = ("%A, %d %B %Y, %I:%M %p", "%d %B %Y, %I:%M %p", "%A, %d %B %Y, %H:%M")
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


@dataclass(frozen=True)
class Rule:
    """What holds for one step. Times have a zone.

    ``extensions`` are by what a teacher calls people: a time, or how much longer. ``submissions``
    are the first that count.
    """

    due: datetime | None = None
    grace: timedelta = timedelta()
    per_day: float = 0.0
    at_most: float = 1.0
    before_due: bool = False
    extensions: Mapping[str, datetime | timedelta] = field(default_factory=dict)
    hidden_until: datetime | None = None
    submissions: int = 0

    def due_for(self, called: Iterable[str]) -> datetime | None:
        """When it is due for those with these extensions: the latest counts."""
        if self.due is None:
            return None
        more = (self.extensions[each] for each in called)
        # Added to the clock on the wall, as people do, also when the clocks change.
        ends = [self.due + each if isinstance(each, timedelta) else each for each in more]
        return max([self.due, *ends], key=_instant)

    def lateness(self, when: datetime | None, due: datetime, free: int = 0) -> Lateness:
        """How late something is that is due then; ``free`` days cost nothing."""
        if when is None:
            return Lateness()
        if _instant(when) <= _instant(due) + self.grace:
            return Lateness(when)
        wall = when.astimezone(due.tzinfo).replace(tzinfo=None)
        days = max(1, math.ceil((wall - due.replace(tzinfo=None)) / DAY))
        used = min(days, free) if self.per_day else 0
        lost = min(self.at_most, self.per_day * (days - used))
        return Lateness(when, days, used, max(0.0, 1.0 - lost))


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
        text = text.strip()
        try:
            if STAMP.fullmatch(text):
                return datetime.strptime(text[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
            if found := TOLD.fullmatch(text):
                zone = found["zone"] or ""
                if zone[1:3].isdigit() or zone in ("", "Z"):
                    when = datetime.fromisoformat(f"{found['day']}T{found['time']}{zone}")
                    return when if zone else when.replace(tzinfo=self.zone)
                when = datetime.fromisoformat(f"{found['day']}T{found['time']}")
                return when.replace(tzinfo=ZoneInfo(zone))
            for form in WORDS:
                if re.match(r"(?:[A-Z][a-z]+, )?[0-9]{1,2} [A-Z]", text):
                    return datetime.strptime(text, form).replace(tzinfo=self.zone)
        except (ValueError, OSError, ZoneInfoNotFoundError):
            return None
        return None


def _instant(when: datetime) -> datetime:
    return when.astimezone(UTC)


def read(path: Path) -> Policy:
    """The policy in the file at ``path``.

    Raises:
        Unusable: it is not such a file, or says something that cannot be meant.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise Unusable(f"The policy {path} cannot be read: {problem.strerror}.") from None
    except ValueError as problem:
        raise Unusable(f"The policy {path} is not a TOML file: {problem}.") from None
    return _Reader(path).policy(table)


class _Reader:
    """Reads the values of one file, and says in whose name one cannot be used."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._zone: tzinfo = UTC

    def policy(self, table: Mapping[str, object]) -> Policy:
        """The whole file."""
        steps = {name: value for name, value in table.items() if isinstance(value, dict)}
        self._known("the file", [name for name in table if name not in steps], ALL)
        if steps or "time_zone" in table:
            self._zone = self._time_zone(table.get("time_zone"))
        folders = table.get("earlier", [])
        if not isinstance(folders, list) or not all(isinstance(each, str) for each in folders):
            raise self._unusable("earlier", 'a list of folders, such as ["grades-s03"]')
        rules: dict[str, Rule] = {}
        for name, given in steps.items():
            try:
                step = course.find(name).id
            except course.UnknownStep as problem:
                raise Unusable(f"{self._path}: {problem}") from None
            rules[step] = self._rule(step, given)
        days = self._whole("free_days", table.get("free_days", 0))
        earlier = tuple(self._path.parent / each for each in folders)
        return Policy(self._path.name, self._zone, days, earlier, rules)

    def _rule(self, step: str, given: Mapping[str, object]) -> Rule:
        self._known(step, given, EACH)
        count = given.get("count", COUNTS[0])
        if count not in COUNTS:
            raise self._unusable(f"{step}: count", '"last" or "before due"')
        late = ("grace", "per_day", "at_most", "extensions")
        if "due" not in given and (count != COUNTS[0] or any(name in given for name in late)):
            raise self._unusable(f"{step}: due", "there, such as due = 2027-01-15T23:59:59")
        extensions = given.get("extensions", {})
        if not isinstance(extensions, dict):
            raise self._unusable(f"{step}: extensions", "a table of names")
        hidden = given.get("hidden_until")
        return Rule(
            self._end(f"{step}: due", given["due"]) if "due" in given else None,
            self._length(f"{step}: grace", given.get("grace", 0)),
            self._share(f"{step}: per_day", given.get("per_day", 0)),
            self._share(f"{step}: at_most", given.get("at_most", 1)),
            count == COUNTS[1],
            {who: self._extension(f"{step}: {who}", each) for who, each in extensions.items()},
            self._time(f"{step}: hidden_until", hidden, time()) if hidden is not None else None,
            self._whole(f"{step}: submissions", given.get("submissions", 0)),
        )

    def _unusable(self, what: str, should: str) -> Unusable:
        return Unusable(f"{self._path}: {what} should be {should}.")

    def _known(self, where: str, names: Iterable[str], known: tuple[str, ...]) -> None:
        for name in names:
            if name not in known:
                near = difflib.get_close_matches(name, known, n=1)
                guess = f"Did you mean {near[0]}?" if near else f"It may have {', '.join(known)}."
                raise Unusable(f"{self._path}: {where} has {name!r}. {guess}")

    def _time_zone(self, name: object) -> tzinfo:
        try:
            return ZoneInfo(str(name)) if isinstance(name, str) and name else self._no_zone()
        except (ValueError, OSError, ZoneInfoNotFoundError):
            return self._no_zone()

    def _no_zone(self) -> tzinfo:
        raise self._unusable("time_zone", 'that of the due dates, such as "Europe/Berlin"')

    def _end(self, what: str, value: object) -> datetime:
        return self._time(what, value, time(23, 59, 59))

    def _time(self, what: str, value: object, of_day: time) -> datetime:
        if isinstance(value, str):
            try:
                day = len(value.strip()) == len("2027-01-15")
                value = (date if day else datetime).fromisoformat(value.strip())
            except ValueError:
                value = None
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=self._zone)
        if isinstance(value, date):
            return datetime.combine(value, of_day, self._zone)
        raise self._unusable(what, "a time such as 2027-01-15T23:59:59")

    def _extension(self, what: str, value: object) -> datetime | timedelta:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1000:
            return value * DAY
        if isinstance(value, str) and LENGTH.fullmatch(value.strip().lower()):
            return self._length(what, value)
        try:
            return self._end(what, value)
        except Unusable:
            raise self._unusable(what, 'a time, a date, or a number of days: "3 days"') from None

    def _length(self, what: str, value: object) -> timedelta:
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e5:
            return timedelta(minutes=value)
        if isinstance(value, time):
            return timedelta(hours=value.hour, minutes=value.minute, seconds=value.second)
        if isinstance(value, str) and (found := LENGTH.fullmatch(value.strip().lower())):
            return timedelta(**{UNITS[found["unit"]]: float(found["count"])})
        raise self._unusable(what, 'a number of minutes, or such as "15 min", "2 hours", "1 day"')

    def _share(self, what: str, value: object) -> float:
        percent = isinstance(value, str) and re.fullmatch(r"([0-9]{1,3}(?:\.[0-9]+)?) *%", value)
        if percent:
            value = float(percent[1]) / 100
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
            return float(value)
        raise self._unusable(what, 'a share of the points, such as "10 %" or 0.1')

    def _whole(self, what: str, value: object) -> int:
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 1000:
            return value
        raise self._unusable(what, "a whole number, 0 or more")
