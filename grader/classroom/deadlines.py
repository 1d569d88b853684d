"""Applies a policy to the people of a class: their deadlines, lateness and free days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from grader.base.files import Unusable
from grader.classroom.collect import Answer
from grader.classroom.layout import Student
from grader.classroom.roster import Person, by_name, only, read
from grader.classroom.table import harmless
from grader.report.policy import Lateness, Policy

FREE = " free days"
"""Appended to a step, the title of a gradebook column."""


class Deadlines:
    """When each of ``people`` has to hand in the ``steps``.

    ``listed``: everyone is known, so an unknown name is an error; otherwise it is in ``notes``, as
    is a step that the policy does not name.

    Raises:
        Unusable: an extension is for nobody, or for a name that several people have.
    """

    def __init__(
        self, policy: Policy, people: Sequence[Person], steps: Sequence[str], *, listed: bool
    ) -> None:
        self._policy, self._people = policy, people
        self._steps = tuple(steps)
        self._rules = {step: policy.rules[step] for step in steps if step in policy.rules}
        self._longer: dict[tuple[str, str], list[str]] = {}
        silent = [step for step in steps if policy.file and step not in policy.rules]
        self.notes = [f"{policy.file} says nothing about {step}." for step in silent]
        called = by_name(people)
        for step, rule in self._rules.items():
            for who in rule.extensions:
                where = f"{policy.file}, {step}"
                try:
                    person = only(called(who), who, people, where)
                except Unusable as problem:
                    if listed or called(who):
                        raise
                    self.notes.append(str(problem))
                    continue
                self._longer.setdefault((person.name, step), []).append(who)

    def due(self, person: Person, step: str) -> datetime | None:
        """Return when this person has to hand in; None if there is no deadline."""
        rule = self._rules.get(step)
        return rule.due_for(self._longer.get((person.name, step), ())) if rule else None

    def until(self) -> dict[tuple[str, str], dict[str, str]]:
        """Return until when attempts count, by student and step, where the policy says so.

        As ISO 8601 in the policy's time zone, as in the names of platforms that keep attempts.
        """
        found: dict[tuple[str, str], dict[str, str]] = {}
        for person in self._people:
            for step, rule in self._rules.items():
                due = self.due(person, step)
                if rule.count == "before due" and due and (student := person.student):
                    last = rule.last(due).astimezone(self._policy.zone)
                    text = last.replace(tzinfo=None).isoformat(timespec="seconds")
                    found.setdefault((student.key, student.identifier), {})[step] = text
        return found

    def lateness(
        self, answers: Mapping[tuple[Student, str], Answer]
    ) -> dict[tuple[str, str], Lateness]:
        """Return how late the answers are, by name and step. Free days are spent in date order."""
        spent = self._spent()
        found: dict[tuple[str, str], Lateness] = {}
        for person in self._people:
            free = self._policy.free_days - spent[person.name]
            dates = [(due, step) for step in self._rules if (due := self.due(person, step))]
            for due, step in sorted(dates):
                answer = answers.get((person.student, step)) if person.student else None
                if answer is None or not answer.digest:
                    continue
                told = answer.when or (person.told_time if len(self._steps) == 1 else "")
                when = self._policy.told(told)
                lateness = self._rules[step].lateness(when, due, max(0, free))
                free -= lateness.free
                found[person.name, step] = lateness
        return found

    def _spent(self) -> Counter[str]:
        """Return the free days spent in earlier runs, by person's name."""
        found: Counter[str] = Counter()
        known = {str(harmless(person.name)): person.name for person in self._people}
        for folder in self._policy.earlier:
            for row in read(folder / "gradebook.csv").rows:
                for title, cell in row.items():
                    other = title.endswith(FREE) and title.removesuffix(FREE) not in self._steps
                    if other and cell.isdecimal():
                        found[known.get(row.get("student", ""), "")] += int(cell)
        return found
