"""Which language an answer speaks (RFC 9110, sections 12.4.2 and 12.5.4)."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote_to_bytes

from app.rules.catalog import LANGUAGES

_QUALITY: Final = re.compile(r"q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)", re.IGNORECASE)
HEADER_BYTES: Final = 512
"""A longer Accept-Language is read up to the last comma before; real ones have a tenth of it."""


def explicit_language(query: bytes) -> str | None:
    """Find a supported `lang` in a query string; an unsupported one is as if it were not there."""
    for pair in query.split(b"&"):
        name, _, value = pair.partition(b"=")
        if unquote_to_bytes(name) == b"lang":
            language = unquote_to_bytes(value).decode("latin-1")
            return language if language in LANGUAGES else None
    return None


def negotiate(accept_language: bytes) -> str:
    """Choose the supported language with the highest quality; the first in the header among equals."""
    if len(accept_language) > HEADER_BYTES:
        accept_language = accept_language[:HEADER_BYTES].rpartition(b",")[0]
    return _negotiate(accept_language)


@lru_cache(maxsize=1024)
def _negotiate(accept_language: bytes) -> str:
    qualities: dict[str, float] = {}
    for item in accept_language.decode("latin-1").lower().split(","):
        tag, _, parameters = item.partition(";")
        language = tag.strip().partition("-")[0]
        qualities[language] = max(_quality(parameters), qualities.get(language, 0))
    elsewhere = qualities.pop("*", 0)
    in_order = [*(language for language in qualities if language in LANGUAGES), *LANGUAGES]
    best = max(in_order, key=lambda language: qualities.get(language, elsewhere))
    return best if qualities.get(best, elsewhere) > 0 else LANGUAGES[0]


def _quality(parameters: str) -> float:
    if not parameters.strip():
        return 1
    match = _QUALITY.fullmatch(parameters.strip())
    return float(match[1]) if match else 0
