"""The ways in which learners misuse a call, as rewritings of a right one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from grader.base.rewriting import Rewriter

Rewriting = Callable[[ast.expr], Iterator[ast.expr]]


def _again(node: ast.expr) -> ast.expr:
    """A copy that may be changed."""
    return ast.parse(ast.unparse(node), mode="eval").body


def _calls(tree: ast.expr) -> list[ast.Call]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def _nth(change: Callable[[ast.Call, int], bool]) -> Rewriting:
    """Every call changed by ``change(call, 0)``, ``change(call, 1)`` … until that is False."""

    def rewrite(tree: ast.expr) -> Iterator[ast.expr]:
        for index in range(len(_calls(tree))):
            for number in range(12):
                copy = _again(tree)
                if not change(_calls(copy)[index], number):
                    break
                yield copy

    return rewrite


def forget(call: ast.Call, number: int) -> bool:
    """An argument is forgotten."""
    if number < len(call.args):
        del call.args[number]
    elif number < len(call.args) + len(call.keywords):
        del call.keywords[number - len(call.args)]
    else:
        return False
    return True


def none(call: ast.Call, number: int) -> bool:
    """An argument is still None."""
    if number < len(call.args):
        call.args[number] = ast.Constant(None)
    elif number < len(call.args) + len(call.keywords):
        call.keywords[number - len(call.args)].value = ast.Constant(None)
    else:
        return False
    return True


def rename(call: ast.Call, number: int) -> bool:
    """A keyword has its name of PyTorch or NumPy, or a letter is missing."""
    names = {"axis": ("dim", "axes"), "dim": ("embedding_dim",), "shape": ("size",)}
    ways = [
        (word, new)
        for word in call.keywords
        for new in (*names.get(word.arg or "", ()), (word.arg or "")[:-1])
    ]
    if number >= len(ways):
        return False
    word, new = ways[number]
    word.arg = new
    return True


def keep(call: ast.Call, number: int) -> bool:
    """keepdim or keepdims is asked for."""
    if number > 1 or not any(word.arg == "axis" for word in call.keywords):
        return False
    call.keywords.append(ast.keyword(("keepdim", "keepdims")[number], ast.Constant(True)))
    return True


def spread(call: ast.Call, number: int) -> bool:
    """A list is written out as arguments, is a tuple, or is one of its values."""
    lists = [at for at, arg in enumerate(call.args) if isinstance(arg, ast.List) and arg.elts]
    if not lists or number > 2:
        return False
    at = lists[0]
    values = call.args[at].elts  # type: ignore[attr-defined]
    call.args[at : at + 1] = (values, [ast.Tuple(values, ast.Load())], values[:1])[number]
    return True


def listed(call: ast.Call, number: int) -> bool:
    """One value is given as a list or a tuple of one; arguments are one list or tuple."""
    singles = [i for i, arg in enumerate(call.args) if not isinstance(arg, ast.List)]
    if number < 2 * len(singles):
        at = singles[number // 2]
        kind = (ast.List, ast.Tuple)[number % 2]
        call.args[at] = kind([call.args[at]], ast.Load())
        return True
    if number == 2 * len(singles) and len(call.args) > 1:
        call.args = [ast.List(call.args, ast.Load())]
        return True
    return False


def swap(call: ast.Call, number: int) -> bool:
    """Two arguments are swapped."""
    if number + 1 >= len(call.args):
        return False
    call.args[number], call.args[number + 1] = call.args[number + 1], call.args[number]
    return True


def positional(call: ast.Call, number: int) -> bool:
    """Keywords are left out, their values are not."""
    if number or not call.keywords:
        return False
    call.args += [word.value for word in call.keywords]
    call.keywords = []
    return True


def extra(call: ast.Call, number: int) -> bool:
    """There is an argument too many."""
    more = [ast.Constant(1), ast.Name("x", ast.Load())]
    if number >= len(more):
        return False
    call.args.append(more[number])
    return True


def method(call: ast.Call, number: int) -> bool:
    """A function of F or np is called as a method of the tensor, or the reverse."""
    if not isinstance(call.func, ast.Attribute) or not isinstance(call.func.value, ast.Name):
        return False
    home, name = call.func.value.id, call.func.attr
    if home in ("F", "np") and number == 0 and call.args:
        call.func = ast.Attribute(call.args.pop(0), name, ast.Load())
        return True
    homes = ("np", "Tensor") if home == "F" else ("F", "np", "Tensor")
    if number < len(homes) and home not in ("np", "math", "Tensor"):
        if home != "F":
            call.args.insert(0, call.func.value)
        call.func = ast.Attribute(ast.Name(homes[number], ast.Load()), name, ast.Load())
        return True
    return False


def misspell(call: ast.Call, number: int) -> bool:
    """The name lacks its last letter, or has two letters swapped."""
    if number > 1:
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if len(name) < 3:
        return False
    new = name[:-1] if number == 0 else name[0] + name[2] + name[1] + name[3:]
    if isinstance(call.func, ast.Attribute):
        call.func.attr = new
    elif isinstance(call.func, ast.Name):
        call.func.id = new
    return new != name


def sized(call: ast.Call, number: int) -> bool:
    """A number is a Dim, a float, a text or much too large."""
    numbers = [
        at
        for at, arg in enumerate(call.args)
        if isinstance(arg, ast.Constant) and type(arg.value) is int
    ]
    words = [
        word
        for word in call.keywords
        if isinstance(word.value, ast.Constant | ast.UnaryOp) and word.arg == "axis"
    ]
    forms = ("Dim({})", "float({})", "'{}'", "{} + 7")
    if number >= len(forms) * (len(numbers) + len(words)):
        return False
    which, how = divmod(number, len(forms))
    old = call.args[numbers[which]] if which < len(numbers) else words[which - len(numbers)].value
    new = ast.parse(forms[how].format(ast.unparse(old)), mode="eval").body
    if which < len(numbers):
        call.args[numbers[which]] = new
    else:
        words[which - len(numbers)].value = new
    return True


def typed(call: ast.Call, number: int) -> bool:
    """An element type is a text, NumPy's, or Python's."""
    forms = ("'float32'", "np.float32", "float")
    values = [*call.args, *(word.value for word in call.keywords)]
    types = [v for v in values if ast.unparse(v).startswith("DType.")]
    if not types or number >= len(forms):
        return False
    new = ast.parse(forms[number], mode="eval").body
    call.args = [new if arg is types[0] else arg for arg in call.args]
    for word in call.keywords:
        word.value = new if word.value is types[0] else word.value
    return True


def forward(call: ast.Call, number: int) -> bool:
    """A module's forward is called by name, or a module in its place."""
    if number or not isinstance(call.func, ast.Name) or not call.func.id.islower():
        return False
    call.func = ast.Attribute(call.func, "forward", ast.Load())
    return True


class _Put(Rewriter):
    """One call without its parentheses."""

    def __init__(self, target: ast.Call) -> None:
        self.target = target

    def visit_Call(self, node: ast.Call) -> ast.AST:
        new = self.generic_visit(node)
        return new.func if node is self.target else new


def _uncalled(tree: ast.expr) -> Iterator[ast.expr]:
    """The parentheses are forgotten."""
    for index in range(len(_calls(tree))):
        made = _Put(_calls(tree)[index]).visit(tree)
        yield ast.BinOp(made, ast.Add(), ast.Constant(1)) if index == 0 else made


def _called(tree: ast.expr) -> Iterator[ast.expr]:
    """An attribute is called."""
    if isinstance(tree, ast.Attribute):
        yield ast.Call(_again(tree), [], [])


def _operands(tree: ast.expr) -> Iterator[ast.expr]:
    """An operand is None, a tuple, a list, a text, a boolean tensor, turned or of other shape."""
    if not isinstance(tree, ast.BinOp):
        return
    for side in ("left", "right"):
        old = ast.unparse(getattr(tree, side))
        for form in ("None", "({0}, {0})", "[{0}]", "'{0}'", "keep", "({0}).T", "ids", "qkv"):
            copy = _again(tree)
            setattr(copy, side, ast.parse(form.format(old), mode="eval").body)
            yield copy


KINDS: dict[str, Rewriting] = {
    "forgotten": _nth(forget),
    "none": _nth(none),
    "renamed": _nth(rename),
    "keepdims": _nth(keep),
    "spread": _nth(spread),
    "listed": _nth(listed),
    "swapped": _nth(swap),
    "positional": _nth(positional),
    "extra": _nth(extra),
    "method": _nth(method),
    "misspelt": _nth(misspell),
    "sized": _nth(sized),
    "typed": _nth(typed),
    "forward": _nth(forward),
    "uncalled": _uncalled,
    "called": _called,
    "operands": _operands,
}


def misuses(right: str) -> Iterator[tuple[str, str]]:
    """Kind and text of every misuse of the expression ``right``, without repetition."""
    tree = ast.parse(right, mode="eval").body
    seen = {ast.unparse(tree)}
    for kind, rewrite in KINDS.items():
        for wrong in rewrite(tree):
            text = ast.unparse(wrong)
            if text not in seen:
                seen.add(text)
                yield kind, text
