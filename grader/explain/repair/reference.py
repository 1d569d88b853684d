"""Edits that bring a program nearer to the reference, smallest pieces first.

Where two statements answer each other and differ, the smallest pieces that differ are replaced,
each alone and all at once. A statement that the reference has alone is put in, one that the
learner has alone is taken out, and where both is so, replaced or moved.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from grader.explain.repair.align import Gap, Pair, Scope, aligned
from grader.explain.repair.edits import Change, Edit, Names, Text, bracketed, of_kind, written
from grader.explain.repair.normal_form import Function, code, form, same

STATEMENT = 12
"""What putting in, taking out or moving a statement weighs, in characters."""

MOST_MOVES = 12


class Reference:
    """Edits of ``mine`` towards ``right``, the reference."""

    def __init__(self, mine: Text, right: Text) -> None:
        self._mine = mine
        self._right = right
        self._found = aligned(mine, right)
        self._put_in: list[tuple[Edit, ast.stmt, Scope]] = []
        self._taken_out: list[tuple[Edit, ast.stmt]] = []

    def names(self) -> dict[str, Names]:
        """What the learner calls the reference's names, by the reference's function."""
        found = {"": self._found[0].scope.names} if self._found else {}
        for one in self._found:
            if one.scope.right is not None:
                found[one.scope.right.name] = one.scope.names
        return found

    def edits(self) -> Iterator[Edit]:
        """Every edit, in no order."""
        for one in self._found:
            if isinstance(one, Pair):
                yield from self._pair(one)
            else:
                yield from self._gap(one)
        yield from self._moves()

    # ---- statements that answer each other -----------------------------------------------------

    @of_kind("pieces")
    def _pair(self, pair: Pair) -> Iterator[Edit]:
        mine, right, scope = pair.mine, pair.right, pair.scope
        if same(mine, right, scope.names):
            return
        if isinstance(mine, Function | ast.ClassDef) or _blocks(mine):
            if type(mine) is not type(right):
                yield self._replaced(mine, right, scope)
                return
            yield self._header(mine, right, scope)
        pieces = list(dict.fromkeys(self._smallest(mine, right, scope)))
        found = [self._piece(one, other, scope) for one, other in pieces]
        yield from found
        if len(found) > 1:
            yield sum(found[1:], found[0])
        if not _blocks(mine) and not isinstance(mine, Function | ast.ClassDef):
            yield self._replaced(mine, right, scope)

    def _smallest(
        self, mine: ast.AST, right: ast.AST, scope: Scope
    ) -> Iterator[tuple[ast.AST, ast.AST]]:
        """The smallest pieces that differ; a piece that has no place of its own is no piece."""
        if same(mine, right, scope.names):
            return
        (said, parts), (wanted, others) = form(mine, None), form(right, scope.names)
        if said == wanted and len(parts) == len(others):
            pieces = [
                piece
                for one, other in zip(parts, others, strict=True)
                for piece in self._smallest(one, other, scope)
            ]
            if pieces:
                yield from pieces
                return
        placed = isinstance(mine, ast.expr | ast.keyword | ast.arg | ast.alias)
        if placed and (type(mine) is type(right) or isinstance(right, ast.expr)):
            yield mine, right

    def _piece(self, mine: ast.AST, right: ast.AST, scope: Scope) -> Edit:
        """``right`` in the learner's names in place of ``mine``."""
        text = written(self._right, right, scope.names, self._mine.indent(mine))
        if isinstance(right, ast.expr):
            text = bracketed(self._mine.parents.get(mine), mine, right, text)
        return self._edit(mine, self._mine.span(mine), text)

    def _edit(self, at: ast.AST, span: tuple[int, int], text: str) -> Edit:
        old = self._mine.data[slice(*span)].decode()
        size = 1 + _weight(old, text)
        return Edit((Change(*span, text),), at.lineno, size, "piece")  # type: ignore[attr-defined]

    def _replaced(self, mine: ast.stmt, right: ast.stmt, scope: Scope) -> Edit:
        text = written(self._right, right, scope.names, self._mine.indent(mine))
        return self._edit(mine, self._mine.span(mine), text)

    def _header(self, mine: ast.stmt, right: ast.stmt, scope: Scope) -> Edit:
        """The first lines of a block up to its body."""
        names = scope.names
        begin, start = (
            _head(text, one) for text, one in ((self._mine, mine), (self._right, right))
        )
        end, stop = (
            text.start(one.body[0].lineno)  # type: ignore[attr-defined]
            for text, one in ((self._mine, mine), (self._right, right))
        )
        if end <= begin or stop <= start:  # the body stands on the same line
            return self._replaced(mine, right, scope)
        old = self._mine.data[begin:end].decode()
        text = self._right.data[start:stop].decode()
        if not isinstance(right, Function):
            for part in form(right, None)[1]:
                text = text.replace(self._right.of(part), written(self._right, part, names))
        text = text.rstrip() + old[len(old.rstrip()) :]
        return self._edit(mine, (begin, end), text)

    # ---- statements without an answer ----------------------------------------------------------

    @of_kind("statements")
    def _gap(self, gap: Gap) -> Iterator[Edit]:
        for one in gap.mine:
            edit = self._without(one, gap)
            self._taken_out.append((edit, one))
            yield edit
            for other in gap.right:
                if not isinstance(other, Function | ast.ClassDef):
                    yield self._replaced(one, other, gap.scope)
        found = [self._with(one, gap) for one in gap.right]
        self._put_in += [(edit, one, gap.scope) for edit, one in zip(found, gap.right, strict=True)]
        yield from found
        if len(gap.right) > 1:
            text = "".join(one.changes[0].text for one in found)
            start, end, _ = found[0].changes[0]
            yield Edit((Change(start, end, text),), found[0].line, sum(one.size for one in found))

    def _without(self, mine: ast.stmt, gap: Gap) -> Edit:
        if len(code(getattr(gap.around, "body", []))) == 1:
            return self._edit(mine, self._mine.span(mine), "pass")
        start, end = self._mine.start(mine.lineno), self._mine.start((mine.end_lineno or 0) + 1)
        size = STATEMENT + (end - start) // 4
        return Edit((Change(start, end, ""),), mine.lineno, size, "without")

    def _with(self, right: ast.stmt, gap: Gap) -> Edit:
        """The learner's program with a statement more."""
        body: Sequence[ast.stmt] = getattr(gap.around, "body", [])
        near = gap.after or gap.before or (body[0] if body else None)
        indent = self._mine.indent(near) if near is not None else 0
        text = written(self._right, right, gap.scope.names, indent)
        line = self._line(gap, near)
        start = min(self._mine.start(line), len(self._mine.data))
        lead = "" if start == 0 or self._mine.data[start - 1 : start] == b"\n" else "\n"
        change = Change(start, start, f"{lead}{' ' * indent}{text}\n")
        return Edit((change,), line, STATEMENT + len(text) // 4, "with")

    def _line(self, gap: Gap, near: ast.stmt | None) -> int:
        """Before which line a statement is put in."""
        if gap.after is not None:
            return (gap.after.end_lineno or 0) + 1
        if gap.before is not None:
            decorators: list[ast.expr] = getattr(gap.before, "decorator_list", [])
            return min([gap.before.lineno, *(one.lineno for one in decorators)])
        return (near.end_lineno or 0) + 1 if near is not None else 1

    @of_kind("moved")
    def _moves(self) -> Iterator[Edit]:
        """A statement taken out here and put in there."""
        moves = [
            (0 if same(mine, right, scope.names) else 1, taken, put)
            for put, right, scope in self._put_in
            for taken, mine in self._taken_out
        ]
        moves.sort(key=lambda one: one[0])
        for _, taken, put in moves[:MOST_MOVES]:
            yield taken + put


def _head(text: Text, node: ast.stmt) -> int:
    """Where a block begins, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    line = min([node.lineno, *(one.lineno for one in decorators)])
    return text.start(line) + text.indent(node) if decorators else text.span(node)[0]


def _blocks(node: ast.stmt) -> bool:
    return isinstance(getattr(node, "body", None), list)


def _weight(old: str, new: str) -> int:
    """How many characters of the old and the new text are not common to both ends."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    most = min(len(old), len(new)) - first
    while last < most and old[-1 - last] == new[-1 - last]:
        last += 1
    return len(old) + len(new) - 2 * (first + last)
