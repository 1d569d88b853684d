"""The meaning of a class list's columns, and all the names that files may use for a person."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

FIRST = ("firstname", "givenname", "forename", "vorname", "prenom", "voornaam", "nombre", "nome")
LAST = (
    *("lastname", "surname", "familyname", "nachname", "nom", "achternaam", "apellidos"),
    *("apellido", "cognome"),
)
WHOLE = tuple(
    re.compile(each)
    for each in ("student", "fullname|vollstandigername", "(?:student|display)name|name(?:full|s)?")
)
"""Best first."""
LOGIN = re.compile(
    r".*(?:login|username|benutzername|github|gitlab|netid|kennung|userid|uniqname|nutzername).*"
)
NUMBER = re.compile(
    r"(?:|student|user|sis|sisuser|github|orgdefined|person|candidate)id(?:number)?|sid|identifier"
    r"|.*(?:matri[ck]|studentn|registrationn|rollno|rollnumber).*|matrnr|studentnr"
)
MAIL = re.compile(r".*e?mail(?:address|adresse)?")
KINDS = ("name", "number", "login", "mail")
PLAIN = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "a", "œ": "o", "ħ": "h"}
)
"""Letters that do not decompose into a base letter and an accent."""
SHORTEST = 4
"""The fewest digits of a number that identifies a person wherever it is in a name."""


def folded(name: str) -> str:
    """Return a name without case, accents, spaces and punctuation."""
    apart = unicodedata.normalize("NFKD", name).casefold()
    return "".join(letter for letter in apart if letter.isalnum())


def plainly(name: str) -> str:
    """Return a folded name in plain letters: ``Müller`` equals ``Mueller``, ``ı`` equals ``i``."""
    return re.sub(r"([aou])e", r"\1", folded(folded(name).translate(PLAIN)))


def words(name: str) -> list[str]:
    """Return the words of a name, each folded."""
    return [word for word in map(folded, re.split(r"[\W_]+", name)) if word]


@dataclass(frozen=True)
class Columns:
    """The columns that identify a person, by kind.

    If none is understood, any column may.
    """

    first: str = ""
    last: str = ""
    whole: tuple[str, ...] = ()
    number: tuple[str, ...] = ()
    login: tuple[str, ...] = ()
    mail: tuple[str, ...] = ()

    @property
    def understood(self) -> bool:
        """Whether any column is."""
        return any((self.first, self.last, self.whole, self.number, self.login, self.mail))

    def told(self) -> str:
        """Say in words which columns were understood."""
        names = (*filter(None, (self.last, self.first)), *self.whole)
        kinds = zip(KINDS, (names, self.number, self.login, self.mail), strict=True)
        said = [f"{kind}: {', '.join(each)}" for kind, each in kinds if each]
        return "; ".join(said) or "none; every column may have a name"


def understood(header: Sequence[str]) -> Columns:
    """Interpret the column titles of a class list."""
    titles = {title: folded(title) for title in header}
    first = next((title for title, name in titles.items() if name in FIRST), "")
    last = next((title for title, name in titles.items() if name in LAST), "")
    if first and not last:  # Name;Vorname
        last = next((title for title, name in titles.items() if name == "name"), "")
    whole = [t for each in WHOLE for t, name in titles.items() if each.fullmatch(name)]

    def kind(pattern: re.Pattern[str]) -> tuple[str, ...]:
        return tuple(title for title, name in titles.items() if pattern.fullmatch(name))

    return Columns(
        first,
        last,
        tuple(title for title in whole if title != last),
        kind(NUMBER),
        kind(LOGIN),
        kind(MAIL),
    )


def name_of(row: Mapping[str, str], columns: Columns) -> str:
    """Return the name to use for the person in a row."""
    parts = [row.get(columns.first, ""), row.get(columns.last, "")]
    choices = [
        *(row.get(title, "") for title in columns.whole),
        " ".join(filter(None, parts)),
        *(row.get(title, "") for title in (*columns.number, *columns.login, *columns.mail)),
        *row.values(),
    ]
    return next(filter(None, choices), "")


class Known:
    """All the names that files may use for one person on the list.

    ``numbers`` are the platform's. ``whole`` are folded names that only this person has,
    ``in_order`` those that begin with the first name. ``parts`` are the words of the name,
    ``marks`` the words any one of which identifies the person.
    """

    def __init__(self, row: Mapping[str, str], columns: Columns) -> None:
        every = () if columns.understood else tuple(row)
        cells = [row[title] for title in (*columns.number, *every) if row.get(title)]
        self.numbers = set(cells) | {digits for cell in cells if (digits := _digits(cell))}
        names = [row[title] for title in (*columns.whole, *every) if row.get(title)]
        first, last = row.get(columns.first, ""), row.get(columns.last, "")
        if first or last:
            names.append(f"{last}, {first}")
        logins = [row[title] for title in (*columns.login, *columns.number) if row.get(title)]
        mails = [row[title] for title in (*columns.mail, *every) if row.get(title)]
        named = [cell for cell in logins if "@" in cell]  # GitHub Classroom's identifier
        self.whole = set(_spellings(names)) | set(map(folded, logins))
        self.whole |= {folded(cell.partition("@")[0]) for cell in (*mails, *named)}
        self.whole |= set(map(folded, mails))
        self.whole.discard("")
        self.in_order = {folded(in_order(name)) for name in names}
        self.parts = [Counter(words(name)) for name in names]
        self.marks = {folded(cell) for cell in (*logins, *mails)}
        self.marks |= {folded(cell.partition("@")[0]) for cell in mails}
        self.marks |= {number for number in self.numbers if len(number) >= SHORTEST}
        self.marks.discard("")

    def called(self, key: str) -> bool:
        """Whether every word of ``key`` is this person's, and together they identify the person."""
        given = Counter(words(key))
        marks = {word for word in given if word in self.marks or _digits(word) in self.marks}
        rest = given - Counter(marks)
        for parts in self.parts:
            if rest <= parts and (marks or (rest == parts and parts.total() > 1)):
                return True
        return bool(marks) and not rest


def _digits(cell: str) -> str:
    """Return the only number of a cell, at its end: ``77`` for ``Participant 77``."""
    found = re.fullmatch(r"\D*(\d+)", cell)
    return found[1] if found else ""


def in_order(name: str) -> str:
    """Return a name with the first name first: a comma marks the reverse order."""
    last, comma, first = name.partition(",")
    return f"{first} {last}" if comma else name


def _spellings(names: Iterable[str]) -> Iterable[str]:
    """Return a name as written, and in order."""
    for name in names:
        yield folded(name)
        yield folded(in_order(name))
