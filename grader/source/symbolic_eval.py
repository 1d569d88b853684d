"""Follows the values through a function: names become their values, spellings become one.

The result is an expression per ``return`` and per ``self.x = …``. Code that no such value
depends on is dead and never seen. In a function that returns nothing yet, the values that its
names hold at the end is the result, with what an open task below sets to None again. Nothing
is executed.

Longer than 300 lines, because its parts call each other: a statement's value is an expression,
and an expression may be a call, whose statements are followed in turn.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from grader.frameworks import Spellings
from grader.source import dead_stores
from grader.source.expr import Expr, canonical, either, item, merged
from grader.source.name_resolution import OPERATORS, WRAPPERS, Names, aliases, dotted

DEEPEST = 60
"""Levels of blocks, of expressions and of inlined calls that are followed."""

MOST_STEPS = 1_000
"""Values and statements followed from one function. The solutions need a tenth; what
queries the result may take time that grows with its square."""


@dataclass
class _Scope:
    """What the names of one running function hold, and what it has returned so far."""

    names: dict[str, Expr]
    imports: dict[str, str]
    cls: ast.ClassDef | None
    level: int
    returns: list[Expr] = field(default_factory=list)
    stores: dict[str, Expr] = field(default_factory=dict)
    left: list[tuple[ast.stmt, Expr]] = field(default_factory=list)
    emptied: list[tuple[str, Expr]] = field(default_factory=list)
    ended: bool = False


@dataclass(frozen=True)
class Traced:
    """What a function returns, what it stores on ``self``, and what it computes in vain.

    ``unused`` has what it never reads again, with its name if it has one; ``replaced`` what it
    keeps by a name that gets another value first, with the line of that.
    """

    result: Expr
    stores: Mapping[str, Expr] = field(default_factory=dict)
    unused: tuple[tuple[str, Expr], ...] = ()
    replaced: tuple[tuple[str, Expr, int], ...] = ()


class Tracer(Names):
    """Follows functions of one module."""

    def __init__(self, tree: ast.Module, spellings: Spellings) -> None:
        self._steps = 0
        self._traced: dict[str, Traced] = {}
        super().__init__(tree, spellings)

    def read(self, node: ast.expr, names: dict[str, Expr]) -> Expr:
        """What an expression stands for in a method, given the values of ``names``."""
        self._steps = 0
        return self._value(node, _Scope(names, {}, ast.ClassDef("", [], [], [], []), 0))

    def trace(self, path: str) -> Traced:
        """What the function at ``path`` gives."""
        if path not in self._traced:
            self._traced[path] = self._follow(path)
        return self._traced[path]

    def _follow(self, path: str) -> Traced:
        self._steps = 0
        found = self.function(path)
        if found is None:
            return Traced(Expr("unknown"))
        cls = self.classes.get(path.rpartition(".")[0])
        names = {
            arg.arg: Expr("param", name=arg.arg, line=arg.lineno)
            for arg in (*found.args.posonlyargs, *found.args.args, *found.args.kwonlyargs)
        }
        if cls is not None and found.args.args:
            names[found.args.args[0].arg] = Expr("self")
        scope = _Scope(names, aliases(found.body, self.spellings), cls, 0)
        result, stores = self._run(scope, found)
        unused = dead_stores.unused(found, scope.left)
        return Traced(result, stores, unused, dead_stores.overwritten(found, scope.left))

    def _run(self, scope: _Scope, function: ast.FunctionDef) -> tuple[Expr, dict[str, Expr]]:
        names = scope.names
        given = dict(names)
        self._block(function.body, scope)
        results = [one for one in scope.returns if one.op != "const" or one.value is not None]
        if not results:
            kept = [*scope.names.items(), *scope.emptied]
            results = [v for n, v in kept if given.get(n) is not v and _is_new(v)]
        return either(results), scope.stores

    # ---- statements -----------------------------------------------------------------------

    def _block(self, body: list[ast.stmt], scope: _Scope) -> None:
        scope.level += 1
        for statement in body if scope.level <= DEEPEST else ():
            self._steps += 1
            if scope.ended or self._steps > MOST_STEPS:
                break
            self._statement(statement, scope)
        scope.level -= 1

    def _statement(self, node: ast.stmt, scope: _Scope) -> None:  # noqa: C901, one case a kind
        match node:
            case ast.Return():
                value = self._value(node.value, scope) if node.value else Expr("const")
                scope.returns.append(value)
                scope.ended = True
            case ast.Raise():
                scope.ended = True
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                self._assignment(node, scope)
            case ast.If():
                self._branches(node, scope)
            case ast.For():
                element = Expr("item", (self._value(node.iter, scope),), line=node.lineno)
                self._bind(node.target, element, scope)
                self._loop(node.body + node.orelse, scope)
            case ast.While():
                self._loop(node.body + node.orelse, scope)
            case ast.With():
                for item in node.items:
                    if item.optional_vars is not None:
                        self._bind(item.optional_vars, self._value(item.context_expr, scope), scope)
                self._block(node.body, scope)
            case ast.Try():
                for body in (node.body, node.orelse, node.finalbody):
                    self._block(body, scope)
            case ast.FunctionDef():
                scope.names[node.name] = Expr("function", name=node.name, value=node)
            case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), added)):
                # parts.append(x) makes the list hold x as well.
                old = scope.names.get(name, Expr("list"))
                items = tuple(self._value(arg, scope) for arg in added)
                scope.names[name] = Expr("list", (old, *items), line=node.lineno)
            case ast.Expr():
                scope.left.append((node, self._value(node.value, scope)))

    def _assignment(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, scope: _Scope) -> None:
        match node:
            case ast.Assign():
                value = self._value(node.value, scope)
                for target in node.targets:
                    self._bind(target, value, scope)
                scope.left.append((node, value))
            case ast.AnnAssign() if node.value is not None:
                self._bind(node.target, self._value(node.value, scope), scope)
            case ast.AugAssign():
                op = OPERATORS.get(type(node.op), "unknown")
                old, new = self._value(node.target, scope), self._value(node.value, scope)
                self._bind(node.target, Expr(op, (old, new), line=node.lineno), scope)

    def _branches(self, node: ast.If, scope: _Scope) -> None:
        test = node.test
        if isinstance(test, ast.Constant):
            self._block(node.body if test.value else node.orelse, scope)
            return
        before, kept = dict(scope.names), dict(scope.stores)
        self._block(node.body, scope)
        then_names, then_stores, then_ended = scope.names, scope.stores, scope.ended
        scope.names, scope.stores, scope.ended = dict(before), dict(kept), False
        self._block(node.orelse, scope)
        else_ended = scope.ended
        scope.ended = then_ended and else_ended
        if then_ended:
            return
        if else_ended:
            scope.names, scope.stores = then_names, then_stores
            return
        scope.names = merged(then_names, scope.names)
        scope.stores = merged(then_stores, scope.stores)

    def _loop(self, body: list[ast.stmt], scope: _Scope) -> None:
        before = dict(scope.names)
        self._block(body, scope)
        scope.ended = False
        scope.names = merged(before, scope.names)

    def _bind(self, target: ast.expr, value: Expr, scope: _Scope) -> None:
        match target:
            case ast.Name():
                if value.op == "const" and value.value is None and target.id in scope.names:
                    scope.emptied.append((target.id, scope.names[target.id]))
                scope.names[target.id] = value
            case ast.Attribute(value=ast.Name() as owner) if (
                scope.names.get(owner.id, Expr("")).op == "self"
            ):
                scope.stores[target.attr] = value
            case ast.Tuple() | ast.List():
                for index, one in enumerate(target.elts):
                    self._bind(one, item(value, index, target.lineno), scope)
            case ast.Starred():
                self._bind(target.value, value, scope)

    # ---- expressions ----------------------------------------------------------------------

    def _value(self, node: ast.expr | None, scope: _Scope) -> Expr:
        self._steps += 1
        if node is None or scope.level > DEEPEST or self._steps > MOST_STEPS:
            return Expr("unknown")
        scope.level += 1
        try:
            return self._expression(node, scope)
        finally:
            scope.level -= 1

    def _expression(self, node: ast.expr, scope: _Scope) -> Expr:  # noqa: C901, one case a kind
        line = node.lineno
        match node:
            case ast.Constant():
                return Expr("const", value=node.value, line=line)
            case ast.Name():
                return self._name(node, scope)
            case ast.NamedExpr():
                value = self._value(node.value, scope)
                self._bind(node.target, value, scope)
                return value
            case ast.BinOp():
                op = OPERATORS.get(type(node.op), "unknown")
                sides = (self._value(node.left, scope), self._value(node.right, scope))
                return Expr(op, sides, line=line)
            case ast.UnaryOp():
                inner = self._value(node.operand, scope)
                if isinstance(node.op, ast.USub) and isinstance(inner.value, int | float):
                    return Expr("const", value=-inner.value, line=line)
                return Expr("neg", (inner,), line=line)
            case ast.Attribute():
                return self._attribute(node, scope)
            case ast.Subscript():
                return self._subscript(node, scope)
            case ast.Tuple() | ast.List():
                return Expr("list", tuple(self._value(e, scope) for e in node.elts), line=line)
            case ast.Starred():
                return Expr("star", (self._value(node.value, scope),), line=line)
            case ast.IfExp():
                return either([self._value(node.body, scope), self._value(node.orelse, scope)])
            case ast.Call():
                return self._call(node, scope)
            case ast.ListComp() | ast.GeneratorExp():
                return self._comprehension(node, scope)
            case ast.Lambda():
                return Expr("function", name="lambda", value=node, line=line)
        return Expr("unknown", line=line)

    def _name(self, node: ast.Name, scope: _Scope) -> Expr:
        if node.id in scope.names:
            return scope.names[node.id]
        if node.id in self.constants and node.id not in scope.imports:
            return self._value(self.constants[node.id], scope)
        full = self.full_name(node, scope.imports) or node.id
        return Expr("global", name=full, line=node.lineno)

    def _attribute(self, node: ast.Attribute, scope: _Scope) -> Expr:
        full = self.full_name(node, scope.imports)
        first = (dotted(node) or "").partition(".")[0]
        if full is not None and first not in scope.names:
            return Expr("global", name=full, line=node.lineno)
        base = self._value(node.value, scope)
        if base.op == "self" and node.attr in scope.stores:
            return scope.stores[node.attr]
        if node.attr in ("T", "mT"):
            return Expr("transpose", (base,), value=frozenset({-1, -2}), line=node.lineno)
        return Expr("attr", (base,), name=node.attr, line=node.lineno)

    def _subscript(self, node: ast.Subscript, scope: _Scope) -> Expr:
        base, index = self._value(node.value, scope), node.slice
        if isinstance(index, ast.Slice):
            bounds = [
                b.value if isinstance(b, ast.Constant) else None for b in (index.lower, index.upper)
            ]
            if isinstance(index.upper, ast.UnaryOp):
                bounds[1] = self._value(index.upper, scope).value
            return Expr("slice", (base,), value=tuple(bounds), line=node.lineno)
        where = self._value(index, scope)
        if isinstance(where.value, int) and base.op == "list":
            return item(base, where.value, node.lineno)
        return Expr("item", (base, where), value=where.value, line=node.lineno)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, scope: _Scope) -> Expr:
        first = node.generators[0]
        source = self._value(first.iter, scope)
        names = dict(scope.names)
        if source.op == "list":
            results = []
            for one in source.args:
                self._bind(first.target, one, scope)
                results.append(self._value(node.elt, scope))
        else:
            self._bind(first.target, Expr("item", (source,), line=node.lineno), scope)
            results = [Expr("repeated", (self._value(node.elt, scope), source))]
        scope.names = names
        return Expr("list", tuple(results), line=node.lineno)

    # ---- calls ----------------------------------------------------------------------------

    def _call(self, node: ast.Call, scope: _Scope) -> Expr:
        args = tuple(self._value(a, scope) for a in node.args)
        kwargs = tuple((k.arg, self._value(k.value, scope)) for k in node.keywords if k.arg)
        callee = self._value(node.func, scope)
        call = Expr("call", args, callee.name, kwargs, line=node.lineno)
        if callee.op == "function":
            return self._inline(call, callee.value, scope)
        if callee.op == "global":
            return self._global_call(call, scope)
        if callee.op == "attr":
            return self._method_call(call, callee.args[0], scope)
        return replace(call, args=(callee, *args), name="")

    def _global_call(self, call: Expr, scope: _Scope) -> Expr:
        known, name = self.spellings, call.name
        if len(call.args) == 1 and (name in WRAPPERS or name in known.wrappers):
            return call.args[0]
        if name in known.operations:
            return canonical(known.operations[name], call)
        if name in self.functions:
            return self._inline(call, self.functions[name], scope)
        return call

    def _method_call(self, call: Expr, owner: Expr, scope: _Scope) -> Expr:
        if owner.op == "self" and scope.cls is not None:
            method = self.method(scope.cls, call.name)
            if method is None:
                return call
            whole = replace(call, args=(Expr("self"), *call.args))
            return replace(call, inside=self._inline(whole, method, scope).inside)
        whole = replace(call, args=(owner, *call.args))
        if call.name in self.spellings.methods:
            return canonical(call.name, whole)
        return owner if call.name in self.spellings.conversions else whole

    def _inline(self, call: Expr, function: ast.FunctionDef | ast.Lambda, scope: _Scope) -> Expr:
        """A call of the file's own function, with what that returns inside."""
        if scope.level > DEEPEST // 2:
            return call
        params = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        names = dict(scope.names) if isinstance(function, ast.Lambda) else {}
        names |= dict(zip(params, call.args, strict=False)) | dict(call.kwargs)
        for arg in (*params, *(a.arg for a in function.args.kwonlyargs)):
            names.setdefault(arg, Expr("param", name=arg))
        if isinstance(function, ast.Lambda):
            inner = _Scope(names, scope.imports, scope.cls, scope.level + 4)
            return replace(call, inside=self._value(function.body, inner))
        inner = _Scope(names, aliases(function.body, self.spellings), scope.cls, scope.level + 4)
        result, stores = self._run(inner, function)
        if call.args and call.args[0].op == "self":
            scope.stores |= stores  # build() of an object sets its attributes as __init__ does
        return replace(call, inside=result)


def _is_new(value: Expr) -> bool:
    """Whether a value that is not returned yet may be on its way to the result."""
    return value.op not in ("const", "function", "self")
