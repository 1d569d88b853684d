"""GPT-2's tokenizer: byte-level byte-pair encoding, from a folder in Hugging Face's layout.

Text is cut into words, words into bytes, and bytes are joined again by the learnt merges, the
earliest first. Source: Radford et al. 2019, section 2.2; Sennrich et al. 2016,
"Neural Machine Translation of Rare Words with Subword Units".
"""

from __future__ import annotations

import codecs
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from heapq import heappop, heappush
from pathlib import Path
from typing import Any

END_OF_TEXT = "<|endoftext|>"

CONTRACTION = re.compile(r"'(?:s|t|re|ve|m|ll|d)")
WORD = re.compile(r" ?L+| ?N+| ?O+|[ S]+(?![LNO])|[ S]+")
"""GPT-2's pattern, for text with each character replaced by its kind: see :func:`kinds`."""

MOST_KNOWN = 1 << 16
"""Words whose ids are kept."""


class NoTokenizer(ValueError):
    """The folder has no tokenizer of GPT-2's kind."""


def kinds(text: str) -> str:
    """One letter for every character: L letter, N number, S other white space, O the rest.

    A space stays a space. This way the pattern does without Unicode's classes, which Python's
    ``re`` lacks.
    """
    return "".join(" " if character == " " else _kind(character) for character in text)


@lru_cache(maxsize=4096)
def _kind(character: str) -> str:
    category = unicodedata.category(character)
    if category[0] in "LN":
        return category[0]
    separator = character in "\t\n\r\x0b\x0c\x85" or category[0] == "Z"
    return "S" if separator else "O"


def words(text: str) -> Iterator[str]:
    """The text cut as GPT-2 cuts it; a space belongs to the word after it."""
    shadow = kinds(text)
    at = 0
    while at < len(text):
        found = CONTRACTION.match(text, at) or WORD.match(shadow, at)
        end = found.end() if found else at + 1
        yield text[at:end]
        at = end


def byte_letters() -> dict[int, str]:
    """The printable character under which vocabularies keep each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable}
    return letters | {byte: chr(256 + index) for index, byte in enumerate(others)}


class Tokenizer:
    """Text to token ids and back."""

    def __init__(self, vocabulary: Mapping[str, int], merges: Iterable[tuple[str, str]]) -> None:
        """Take a vocabulary and its merges, the earliest first.

        Raises:
            ValueError: if an id is not a whole number.
        """
        self._ids = dict(vocabulary)
        if not all(type(index) is int and index >= 0 for index in self._ids.values()):
            raise ValueError("its vocabulary has ids that are not whole numbers")
        self._tokens = {index: token for token, index in self._ids.items()}
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._letters = byte_letters()
        self._bytes = {letter: byte for byte, letter in self._letters.items()}
        self._known: dict[str, list[int]] = {}

    @classmethod
    def from_folder(cls, folder: Path) -> Tokenizer:
        """Read ``vocab.json`` and ``merges.txt``, or ``tokenizer.json``.

        Raises:
            NoTokenizer: if neither exists, or they are damaged.
        """
        try:
            if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
                return cls(*_two_files(folder))
            if (folder / "tokenizer.json").is_file():
                return cls(*_one_file(folder / "tokenizer.json"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise NoTokenizer(f"The tokenizer in {folder} cannot be read: {error}") from error
        raise NoTokenizer(f"{folder} has neither vocab.json and merges.txt nor tokenizer.json.")

    @property
    def end_of_text(self) -> int | None:
        """The id of ``<|endoftext|>``."""
        return self._ids.get(END_OF_TEXT)

    def encode(self, text: str) -> list[int]:
        """The ids of a text; ``<|endoftext|>`` in it is that single token."""
        ids: list[int] = []
        for index, part in enumerate(text.split(END_OF_TEXT)):
            if index and self.end_of_text is not None:
                ids.append(self.end_of_text)
            for word in words(part):
                ids += self._word(word)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of these ids; bytes that are not text become �."""
        return "".join(self.decode_each(ids))

    def decode_each(self, ids: Iterable[int]) -> Iterator[str]:
        """What each id adds to the text. A character of several tokens appears with the last."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for index in ids:
            yield decoder.decode(self._raw(index))
        yield decoder.decode(b"", final=True)

    def shown(self, index: int) -> str:
        """One token as text; as OpenAI writes its bytes if they are no whole characters."""
        raw = self._raw(index)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return "bytes:" + "".join(f"\\x{byte:02x}" for byte in raw)

    def _raw(self, index: int) -> bytes:
        """The bytes of one token."""
        token = self._tokens.get(index, "")
        if token == END_OF_TEXT:
            return token.encode()
        return bytes(self._bytes[letter] for letter in token if letter in self._bytes)

    def _word(self, word: str) -> list[int]:
        """The ids of one word, cached."""
        if word not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            try:
                self._known[word] = [self._ids[piece] for piece in self._merged(word)]
            except KeyError as piece:
                raise NoTokenizer(f"The tokenizer's vocabulary lacks {piece}.") from None
        return self._known[word]

    def _merged(self, word: str) -> list[str]:
        """The word's bytes, joined by the merges; the earliest merge first, left to right."""
        pieces = [self._letters[byte] for byte in word.encode("utf-8")]
        after = [*range(1, len(pieces) + 1)]  # where the next piece is; a joined one leaves a gap
        before = [*range(-1, len(pieces))]
        joins: list[tuple[int, int, str, str]] = []

        def offer(left: int, right: int) -> None:
            if left >= 0 and right < len(pieces):
                pair = pieces[left], pieces[right]
                if pair in self._ranks:
                    heappush(joins, (self._ranks[pair], left, *pair))

        for index in range(len(pieces) - 1):
            offer(index, index + 1)
        while joins:
            _, left, *pair = heappop(joins)
            right = after[left]
            if right < len(pieces) and [pieces[left], pieces[right]] == pair:
                pieces[left], pieces[right] = "".join(pair), ""
                after[left] = after[right]
                before[after[right]] = left
                offer(before[left], left)
                offer(left, after[left])
        return [piece for piece in pieces if piece]


def _two_files(folder: Path) -> tuple[dict[str, int], list[tuple[str, str]]]:
    vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
    lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")
    return vocabulary, [_pair(line) for line in lines if line and not line.startswith("#version")]


def _one_file(path: Path) -> tuple[dict[str, int], list[tuple[str, str]]]:
    whole = json.loads(path.read_text(encoding="utf-8"))
    model = whole["model"]
    if model.get("type", "BPE") != "BPE":
        raise ValueError(f"its type is {model['type']}, not BPE")
    added = {entry["content"]: entry["id"] for entry in whole.get("added_tokens", [])}
    return {**model["vocab"], **added}, [_pair(merge) for merge in model["merges"]]


def _pair(merge: Any) -> tuple[str, str]:
    left, right = merge.split(" ") if isinstance(merge, str) else merge
    return left, right
