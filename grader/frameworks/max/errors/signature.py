"""The parameters of what was called."""

from __future__ import annotations

from dataclasses import dataclass, field

from grader.protocol.probe import SeenValue


@dataclass
class Signature:
    """The parameters of what is called."""

    plain: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    required: set[str] = field(default_factory=set)
    only: set[str] = field(default_factory=set)
    written: tuple[str, ...] = ()

    @classmethod
    def of(cls, value: SeenValue | None) -> Signature | None:
        """The signature that was seen; None where none was."""
        if value is None or value.signature is None:
            return None
        made = cls(written=value.signature)
        star = False
        for text in value.signature:
            name, _, default = text.partition("=")
            if text == "/":
                made.only |= set(made.plain)
            elif text == "*":
                star = True
            elif not text.startswith("*"):
                (made.named if star else made.plain).append(name)
                made.required |= set() if default else {name}
        return made

    @property
    def every(self) -> list[str]:
        """All names, in order."""
        return [*self.plain, *self.named]
