"""Words for people: one catalog beside each ruleset, with every language in it."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

LANGUAGES: Final = ("en", "de")
"""The languages in which everything a person sees exists; the first one stands in where none fits."""


class Spoken(NamedTuple):
    """What an answer says to people."""

    label: str | None
    """The outcome's name."""
    text: str
    """One sentence that shows the arithmetic."""


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
    texts: Mapping[str, str]
    refusals: Mapping[str, RefusalText]

    def field_label(self, path: str) -> str:
        """Name a field by its path, such as `contestants.modifiers.value`.

        Where the catalog has no words for the whole path, those for the end of it serve. Raises `KeyError`
        where there are none.
        """
        while path not in self.fields:
            _, dot, path = path.partition(".")
            if not dot:
                raise KeyError(path)
        return self.fields[path]


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
        texts=table["texts"],
        refusals=refusals,
    )
