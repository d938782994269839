"""Words for people: one catalog beside each ruleset, with every language in it."""

import ast
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any, Final, NamedTuple, cast

LANGUAGES: Final = ("en", "de")
"""The languages in which everything a person sees exists; the first one stands in where none fits."""


Spoken = tuple[str | None, str]
"""What an answer says to people: the outcome's name, and one sentence that shows the arithmetic."""


Say = Callable[..., str]
"""Fills the places of a text, given by their names; what it has no place for is left out."""


class RefusalText(NamedTuple):
    """A refusal in one language."""

    title: str
    detail: str


@dataclass(frozen=True)
class Words:
    """A ruleset's words in one language."""

    name: str
    summary: str
    actions: Mapping[str, str]
    outcomes: Mapping[str, str]
    fields: Mapping[str, str]
    values: Mapping[str, str]
    answer: Mapping[str, str]
    """Answer fields by path, where they are called otherwise than the request's field of that path."""
    examples: Mapping[str, str]
    """Names and reasons that the examples hold, as this language has them."""
    texts: Mapping[str, str]
    """Sentences and parts of them; `{name}` is a place for a value."""
    refusals: Mapping[str, RefusalText]
    say: Mapping[str, Say]
    """The texts as functions."""

    def field_label(self, path: str) -> str:
        """Name a field by its path, such as `contestants.modifiers.value`.

        Where the catalog has no words for the whole path, those for the end of it serve. Raises `KeyError`
        where there are none.
        """
        return _by_tail(path, self.fields)

    def answer_label(self, path: str) -> str:
        """Name a field of an answer by its path, such as `contestants.roll`.

        Where the catalog has no words for it as an answer's field, those of a request's field serve.
        Raises `KeyError` where there are none.
        """
        return _by_tail(path, self.answer, self.fields)

    def example(self, part: Any) -> Any:
        """Put the names and reasons in an example into this language."""
        if isinstance(part, Mapping):
            return {name: self.example(inner) for name, inner in part.items()}
        if isinstance(part, list):
            return [self.example(inner) for inner in part]
        return self.examples.get(part, part) if isinstance(part, str) else part


def _by_tail(path: str, *tables: Mapping[str, str]) -> str:
    """Find the words for a path in the first table that has them, or else those for the path's end."""
    for table in tables:
        if path in table:
            return table[path]
    _, dot, tail = path.partition(".")
    if not dot:
        raise KeyError(path)
    return _by_tail(tail, *tables)


Catalog = Mapping[str, Words]
"""A ruleset's words by language."""


def load_catalog(module_file: str) -> Catalog:
    """Read the catalog that lies beside a ruleset's module: `zrps.toml` beside `zrps.py`."""
    tables = tomllib.loads(Path(module_file).with_suffix(".toml").read_text(encoding="utf-8"))
    return {language: _words(tables[language]) for language in LANGUAGES}


def _words(table: dict[str, Any]) -> Words:
    refusals = {code: RefusalText(**text) for code, text in table.get("refusals", {}).items()}
    return Words(
        name=table["name"],
        summary=table["summary"],
        actions=table["actions"],
        outcomes=table.get("outcomes", {}),
        fields=table["fields"],
        values=table.get("values", {}),
        answer=table["answer"],
        examples=table.get("examples", {}),
        texts=table["texts"],
        refusals=refusals,
        say={name: _compiled(text) for name, text in table["texts"].items()},
    )


def _compiled(text: str) -> Say:
    """Make a function of a text, as if it stood in the code: that fills it in a quarter of the time."""
    parts: list[ast.expr] = []
    names = {}
    for literal, name, *_ in Formatter().parse(text):
        parts.append(ast.Constant(literal))
        if name:
            names[name] = ast.arg(name)
            parts.append(ast.FormattedValue(ast.Name(name, ast.Load()), conversion=-1))
    places = ast.arguments([], [], None, [*names.values()], [None] * len(names), ast.arg("_"), [])
    function = ast.Expression(ast.Lambda(places, ast.JoinedStr(parts)))
    code = compile(ast.fix_missing_locations(function), text, "eval")
    return cast(Say, eval(code))  # noqa: S307  a text of our own, which can be nothing but text with places
