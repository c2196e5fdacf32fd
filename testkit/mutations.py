"""Mutations: small changes of the source that a test should notice, for the mutation bench.

Changes that no test could notice are left out where that can be recognized: in annotations, docstrings, decorators,
log calls, assertions, and whatever only a type checker reads.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

_COMPARED: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_COMPUTED: Final[dict[type[ast.operator], type[ast.operator]]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult, ast.Mod: ast.Add,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
}  # fmt: skip
Changeable: TypeAlias = ast.expr | ast.stmt
"""A node with a place in the source."""
_UNNOTICED: Final = frozenset({"assert_never", "cast", "TypeVar", "NewType", "get_logger", "super"})
_SYMMETRIC: Final = frozenset({"max", "min", "suppress", "union", "where"})
_LOGS: Final = frozenset({"debug", "info", "warning", "error", "exception"})


@dataclass(frozen=True, slots=True, order=True)
class Mutation:
    """A change: `source[start:end]`, in bytes, becomes `after`.

    `line` is the line where it begins, `function` the qualified name of the innermost function around it, if any.
    """

    start: int
    end: int
    after: str
    before: str
    line: int
    function: str

    def applied(self, source: bytes) -> bytes:
        """The source with this change."""
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        """The change, on one line."""
        return f"{' '.join(self.before.split())}  ->  {' '.join(self.after.split())}"


def mutations(source: bytes) -> list[Mutation]:
    """All mutations of a module, in the order of its text."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    tree = ast.parse(source)
    functions = _functions(tree)
    return sorted({_at(node, after, source, starts, functions) for node, after in _changes(tree)})


def _functions(node: ast.AST, around: str = "") -> list[tuple[range, str]]:
    """The lines and the qualified name of each function; inner functions come after the ones around them."""
    found = list[tuple[range, str]]()
    for child in ast.iter_child_nodes(node):
        inside = around
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            found.append((range(child.lineno, (child.end_lineno or 0) + 1), around + child.name))
            inside = f"{around}{child.name}.<locals>."
        elif isinstance(child, ast.ClassDef):
            inside = f"{around}{child.name}."
        found += _functions(child, inside)
    return found


def _at(node: Changeable, after: str, source: bytes, starts: list[int], functions: list[tuple[range, str]]) -> Mutation:
    line, last = node.lineno, node.end_lineno or 0
    start = starts[line - 1] + node.col_offset
    end = starts[last - 1] + (node.end_col_offset or 0)
    function = ([name for lines, name in functions if line in lines] or [""])[-1]
    return Mutation(start, end, after, source[start:end].decode(), line, function)


def _changes(tree: ast.AST) -> Iterator[tuple[Changeable, str]]:
    """Each node that can be changed, with its new text."""
    for node in _noticed(tree):
        yield from _operators(node)
        yield from _values(node)
        yield from _removals(node)


def _operators(node: ast.AST) -> Iterator[tuple[Changeable, str]]:
    """Replace an operator, or leave out a condition: of `and` or `or`, of a chain (`a < b < c`), of a comprehension."""
    match node:
        case ast.Compare(ops=[op]):
            yield node, f"({ast.unparse(ast.Compare(node.left, [_COMPARED[type(op)]()], node.comparators))})"
        case ast.Compare(ops=[first, *others], comparators=[middle, *more]):
            yield node, f"({ast.unparse(ast.Compare(middle, others, more))})"
            yield node, f"({ast.unparse(ast.Compare(node.left, [first, *others][:-1], node.comparators[:-1]))})"
        case ast.comprehension(ifs=conditions):
            yield from ((condition, "True") for condition in conditions)
        case ast.BoolOp():
            other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield node, f"({ast.unparse(ast.BoolOp(other, node.values))})"
            for left_out in node.values:
                first, *rest = (each for each in node.values if each is not left_out)
                yield node, f"({ast.unparse(ast.BoolOp(node.op, [first, *rest]) if rest else first)})"
        case ast.UnaryOp(op=ast.Not()):
            yield node, f"({ast.unparse(node.operand)})"
        case ast.BinOp() if type(node.op) in _COMPUTED and not _is_text(node.left) and not _is_text(node.right):
            yield node, f"({ast.unparse(ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right))})"
        case _:
            pass


def _values(node: ast.AST) -> Iterator[tuple[Changeable, str]]:
    """Replace a constant, a condition or a result, or swap the first two arguments."""
    match node:
        case ast.MatchValue(value=ast.Constant(value=int() | float() as number) as constant):
            yield constant, str(number + 1)
        case ast.Constant(value=bool()):
            yield node, str(not node.value)
        case ast.Constant(value=int() | float()):
            yield node, f"({node.value} + 1)"
        case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp):
            yield test, f"(not {ast.unparse(test)})"
        case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant):
            yield node, "return None"
        case ast.Call(args=[ast.Name() as first, ast.Name() as second, *rest]) if not _is_symmetric(node.func):
            yield node, ast.unparse(ast.Call(node.func, [second, first, *rest], node.keywords))
        case ast.Call(func=ast.Attribute(attr="where" | "filter_by", value=selected), args=args, keywords=keywords):
            # Of a statement in SQL leave out one restriction, so that it concerns other servers or tables as well.
            for left_out in (*args, *keywords):
                kept = [each for each in args if each is not left_out]
                named = [each for each in keywords if each is not left_out]
                yield node, ast.unparse(ast.Call(node.func, kept, named) if kept or named else selected)
        case _:
            pass


def _removals(node: ast.AST) -> Iterator[tuple[Changeable, str]]:
    """Remove a statement without which the module would still run."""
    match node:
        case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign() | ast.Delete() | ast.Raise():
            yield node, "pass"
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.Continue() | ast.Break():
            yield node, "pass"
        case _:
            pass


def _is_symmetric(function: ast.expr) -> bool:
    """Whether the order of a function's arguments does not matter, as for `max`."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _SYMMETRIC
        case _:
            return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _noticed(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all nodes within it, except those where no test can notice a change."""
    if _is_unnoticed(node):
        return
    yield node
    skipped = {"annotation", "returns", "decorator_list", "type_params", "bases"}
    match node:
        case ast.Call(func=ast.Name(id="zip"), keywords=[ast.keyword(value=ast.Constant(value=True))]):
            skipped.add("keywords")  # strict=True only asserts equal lengths
        case ast.MatchValue():
            skipped.add("value")  # a sum is no pattern
        case ast.ClassDef(keywords=[ast.keyword(arg="total")]):
            skipped.add("keywords")  # only the type checker reads which keys a typed dictionary must have
        case _:
            pass
    for name, value in ast.iter_fields(node):
        if name not in skipped:
            children = cast("list[object]", value) if isinstance(value, list) else [value]
            for child in children:
                if isinstance(child, ast.AST):
                    yield from _noticed(child)


def _is_unnoticed(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Import() | ast.ImportFrom() | ast.Assert():
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias")):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _UNNOTICED
        case ast.Call(func=ast.Attribute(value=ast.Name(id="_log"), attr=name)):
            return name in _LOGS
        case ast.Expr(value=value):
            return _is_unnoticed(value)
        case _:
            return False
