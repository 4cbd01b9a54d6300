"""One number, one sign of a class at a time, changed: what its contract has to notice."""

from __future__ import annotations

import ast
import copy
import inspect
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from linkwright.model.found_once import forget_models

FACTOR, ADDED = 1.02, 0.02  # a number is made a fiftieth larger; zero becomes that


@dataclass(frozen=True)
class Mutation:
    """`holder` is the class or module that `name` belongs to, `value` what stands there instead."""

    holder: Any
    name: str
    value: Any
    what: str

    @contextmanager
    def applied(self) -> Iterator[None]:
        own = vars(self.holder)
        before, had = own.get(self.name), self.name in own
        setattr(self.holder, self.name, self.value)
        if hasattr(self.value, "__set_name__"):  # cached properties ask for their name
            self.value.__set_name__(self.holder, self.name)
        forget_models()
        try:
            yield
        finally:
            forget_models()
            if had:
                setattr(self.holder, self.name, before)
            else:
                delattr(self.holder, self.name)


def mutations(holder: Any, *, leave: tuple[str, ...] = ()) -> Iterator[Mutation]:
    """Of every function and property written in a class, or of a function of a module; `leave` names some out."""
    functions = {name: value for name, value in vars(holder).items() if _source(value) is not None}
    for name, value in functions.items():
        if name in leave or name.startswith("__"):
            continue
        tree = ast.parse(textwrap.dedent(_source(value) or ""))
        for k, (node, _) in enumerate(_places(tree)):
            changed = copy.deepcopy(tree)
            place, change = list(_places(changed))[k]
            change()
            line = f"{ast.unparse(node)} -> {ast.unparse(place)}"
            yield Mutation(holder, name, _made(changed, holder, name), f"{_name(holder)}.{name}:{node.lineno} {line}")


def of_function(module: Any, name: str) -> Iterator[Mutation]:
    """Of one function of a module."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(getattr(module, name))))
    for k, (node, _) in enumerate(_places(tree)):
        changed = copy.deepcopy(tree)
        place, change = list(_places(changed))[k]
        change()
        line = f"{ast.unparse(node)} -> {ast.unparse(place)}"
        yield Mutation(module, name, _made(changed, module, name), f"{name}:{node.lineno} {line}")


def _name(holder: Any) -> str:
    return holder.__name__.rpartition(".")[2]


def _source(value: Any) -> str | None:
    function = getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
    try:
        return inspect.getsource(function) if inspect.isfunction(function) else None
    except OSError:  # made by a dataclass
        return None


def _places(tree: ast.AST):
    """(node, what changes it) for numbers and signs that are computed with: not those that index."""
    subscripts = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    indices = {id(inner) for node in subscripts for inner in ast.walk(node.slice)}
    for node in ast.walk(tree):
        if id(node) in indices:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            yield node, lambda node=node: setattr(node, "value", node.value * FACTOR or ADDED)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield node, lambda node=node: setattr(node, "op", ast.UAdd())
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
            yield node, lambda node=node, other=other: setattr(node, "op", other)


def _made(tree: ast.Module, holder: Any, name: str) -> Any:
    """What the changed text makes, in the module that it stands in."""
    module = sys.modules[getattr(holder, name).__module__ if inspect.ismodule(holder) else holder.__module__]
    space = dict(vars(module))
    # so that annotations need not be there, as in the module itself
    future = ast.parse("from __future__ import annotations").body
    text = ast.fix_missing_locations(ast.Module([*future, *tree.body], []))
    exec(compile(text, f"<{name} changed>", "exec"), space)
    made = space[name]
    function = getattr(made, "fget", None) or getattr(made, "func", None) or made
    if inspect.isfunction(function):  # it sees its module as it is, other changes included
        bound = type(function)(function.__code__, vars(module), name, function.__defaults__, function.__closure__)
        bound.__kwdefaults__ = function.__kwdefaults__
        made = type(made)(bound) if made is not function else bound
    return made
