"""Measures the shape of the project: `python -m tools.house`.

Defines the figures and their bounds (`BOUNDS`), to which tests/test_house.py holds the project. The product is game/,
data/, tables/, cogs/ and bot/. Every import counts, even inside a function or for type checkers alone, because readers
have to follow it, too.
"""

from __future__ import annotations

import ast
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

from game.moves import KINDS
from game.shell import run_command

ROOT: Final = Path(__file__).parents[1]
PRODUCT: Final = ("game", "data", "tables", "cogs", "bot")
"""Lowest first: a layer imports those before it."""
ABOVE: Final = ("sandbox", "testkit", "bench", "tests", "tools")
"""Packages that no layer of the product may import."""
BOUNDS: Final = {
    "lines": 32_657,
    "files": 180,
    "lines of the longest module": 350,
    "longest import chain": 14,
    "imports per module": 5.75,
    "files of game/ that name a kind of move": 3,
    "imports of a higher layer": 0,
    "imports by name": 1,  # `topics()` in cogs/topics.py finds the files of commands and buttons
    "keyword arguments of any type": 0,
    "base names that occur twice": 0,
}
"""The largest allowed figures. They leave room for the option and the command of CONTRIBUTING, and for a few imports in
modules that exist; a bound goes down with its figure."""
CURE: Final = "cut elsewhere, or raise the bound in tools/house.py and say what it buys (CONTRIBUTING, What is limited)"
"""What to do about a figure that is beyond its bound."""
MAY_OCCUR_TWICE: Final = frozenset({"__init__", "__main__"})
BY_NAME: Final = frozenset({"import_module", "resolve_name", "__import__", "load_module", "exec_module"})


@dataclass(frozen=True)
class House:
    """The modules of the product by name, with what is measured in them."""

    sources: dict[str, Path]

    @classmethod
    def of(cls, root: Path = ROOT) -> House:
        """The product in this folder."""
        paths = sorted(path for layer in PRODUCT for path in (root / layer).rglob("*.py"))
        return cls({_name(path.relative_to(root)): path for path in paths})

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        """The syntax tree of each module."""
        return {name: ast.parse(path.read_bytes()) for name, path in self.sources.items()}

    @cached_property
    def nodes(self) -> dict[str, list[ast.AST]]:
        """All nodes of each module's syntax tree."""
        return {name: list(ast.walk(tree)) for name, tree in self.trees.items()}

    @cached_property
    def lines(self) -> dict[str, int]:
        """The number of lines of each module."""
        return {name: path.read_bytes().count(b"\n") for name, path in self.sources.items()}

    @property
    def longest(self) -> list[tuple[str, int]]:
        """The five longest modules and their numbers of lines."""
        return Counter(self.lines).most_common(5)

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """The modules of the product that each module imports; a module imported from its package counts as itself."""
        found: dict[str, set[str]] = {name: set() for name in self.sources}
        for name, nodes in self.nodes.items():
            found[name] = {each for each in self._imported(nodes) if each in self.sources and each != name}
        return found

    @property
    def chain(self) -> list[str]:
        """The longest chain of imports, from the top."""

        @cache
        def down(name: str) -> tuple[str, ...]:
            return (name, *max(map(down, sorted(self.imports[name])), key=len, default=()))

        return list(max(map(down, self.imports), key=len))

    @property
    def up(self) -> list[str]:
        """Imports of a higher layer, or of a package of `ABOVE`."""
        rank = {layer: number for number, layer in enumerate((*PRODUCT, *ABOVE))}
        found = ((name, other) for name, nodes in self.nodes.items() for other in self._imported(nodes))
        return sorted(
            {f"{name} > {other}" for name, other in found if rank.get(_layer(other), -1) > rank[_layer(name)]}
        )

    @property
    def by_name(self) -> list[str]:
        """Places that import a module by a string."""
        return [f"{name}:{node.lineno}" for name, node in self._nodes(ast.Call) if _called(node) in BY_NAME]

    @property
    def untyped(self) -> list[str]:
        """Functions that take keyword arguments of type `Any`, so that nothing notices a misspelt one."""
        defined = self._nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        kwargs = ((name, node, node.args.kwarg and node.args.kwarg.annotation) for name, node in defined)
        return [f"{name}.{node.name}" for name, node, kind in kwargs if isinstance(kind, ast.Name) and kind.id == "Any"]

    @property
    def twice(self) -> list[str]:
        """Base names that more than one module has."""
        counted = Counter(path.stem for path in self.sources.values())
        return sorted(name for name, number in counted.items() if number > 1 and name not in MAY_OCCUR_TWICE)

    @property
    def moves(self) -> dict[str, list[str]]:
        """For each kind of move, the modules of game/ that name it, except computer players, which choose among all."""
        kinds = [kind.__name__ for kind in KINDS]
        game = {
            name: _names(nodes)
            for name, nodes in self.nodes.items()
            if _layer(name) == "game" and not name.startswith("game.players")
        }
        return {kind: [name for name, names in game.items() if kind in names] for kind in kinds}

    @property
    def comments(self) -> float:
        """Comments per hundred lines, without those for tools."""
        text = (line for path in self.sources.values() for line in path.read_text(encoding="utf-8").splitlines())
        said = sum("#" in line and not line.lstrip().startswith(('"', "'")) for line in text if not _is_to_a_tool(line))
        return 100 * said / sum(self.lines.values())

    def figures(self) -> dict[str, float]:
        """The figures that are bounded, by their names in `BOUNDS`."""
        return {
            "lines": sum(self.lines.values()),
            "files": len(self.sources),
            "lines of the longest module": max(self.lines.values()),
            "longest import chain": len(self.chain),
            "imports per module": round(sum(map(len, self.imports.values())) / len(self.imports), 2),
            "files of game/ that name a kind of move": max(map(len, self.moves.values())),
            "imports of a higher layer": len(self.up),
            "imports by name": len(self.by_name),
            "keyword arguments of any type": len(self.untyped),
            "base names that occur twice": len(self.twice),
        }

    def _imported(self, nodes: Sequence[ast.AST]) -> Iterator[str]:
        """What is imported: `from game import cards` gives `game.cards`, and any other name of `game` gives `game`."""
        for node in nodes:
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                inner = (f"{node.module}.{each.name}" for each in node.names)
                yield from (each if each in self.sources else node.module for each in inner)

    def _nodes(self, *kinds: type[ast.AST]) -> Iterator[tuple[str, Any]]:
        for name, nodes in self.nodes.items():
            yield from ((name, node) for node in nodes if isinstance(node, kinds))


def _name(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")


def _layer(name: str) -> str:
    return name.partition(".")[0]


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _names(nodes: Sequence[ast.AST]) -> set[str]:
    found = {node.id for node in nodes if isinstance(node, ast.Name)}
    found |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return found | {node.name for node in nodes if isinstance(node, ast.ClassDef)}


def _is_to_a_tool(line: str) -> bool:
    return "# noqa" in line or "# pyright:" in line or "# type:" in line


def main(argv: Sequence[str] = ()) -> int:
    """Print the figures, their bounds and where they come from; returns 1 if a figure exceeds its bound."""
    ArgumentParser(description=(__doc__ or "").partition("\n")[0]).parse_args(argv)
    house = House.of()
    figures = house.figures()
    for what, most in BOUNDS.items():
        print(f"{figures[what]:>8}  {what} (at most {most}){'' if figures[what] <= most else '  <-- beyond'}")
    print(f"{house.comments:>8.1f}  comments for each 100 lines")
    for layer in PRODUCT:
        names = [name for name in house.sources if _layer(name) == layer]
        lines, imports = sum(house.lines[name] for name in names), sum(len(house.imports[name]) for name in names)
        print(f"{layer:>8}  {lines} lines, {len(names)} files, {imports / len(names):.1f} imports per module")
    print("longest modules:", *(f"{name} ({lines})" for name, lines in house.longest))
    print("longest chain:", " > ".join(house.chain))
    print("imports of a higher layer:", *house.up or ["none"])
    print("imports by name:", *house.by_name or ["none"])
    print("keyword arguments of any type:", *house.untyped or ["none"])
    print("base names that occur twice:", *house.twice or ["none"])
    print("files of game/ that name a kind of move:")
    for kind, names in house.moves.items():
        print(f"    {kind}:", *names)
    beyond = [what for what, most in BOUNDS.items() if figures[what] > most]
    if beyond:
        print(f"Beyond the bound: {', '.join(beyond)}. Either {CURE}.")
    return int(bool(beyond))


if __name__ == "__main__":
    run_command(main)
