"""Requests that nobody should send, and what the contract says of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tests.http.wire import ATTACK, CONTEST, ROLL, as_json, chunked, message

WORD: Final = "Kr4kenwasser"
NUMBER: Final = "73577357"
"""These two stand in what is sent and must stand neither in an answer nor in the log."""

STATUS: Final = {
    "malformed_json": 400,
    "missing_request": 400,
    "unknown_parameter": 400,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_large": 413,
    "uri_too_long": 414,
    "unsupported_encoding": 415,
}
"""The status of each code; those of all others is 422."""


@dataclass(frozen=True)
class Hostile:
    """One such request."""

    why: str
    code: str
    body: bytes | None = None
    method: str = "POST"
    target: str = ROLL
    headers: tuple[bytes, ...] = ()
    errors: tuple[tuple[str, str], ...] = ()
    """Pointer and code of every entry, in any order."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the document."""

    @property
    def status(self) -> int:
        """The HTTP status that belongs to the code."""
        return STATUS.get(self.code, 422)

    def message(self, language: str | None = None) -> bytes:
        """Write the request, on demand with a language in its query."""
        mark = "&" if "?" in self.target else "?"
        target = self.target if language is None else f"{self.target}{mark}lang={language}"
        return message(self.method, target, *self.headers, body=self.body)


class Sent(NamedTuple):
    """A body and where it goes."""

    target: str
    body: str


def _malformed(why: str, body: bytes | str, position: int | None = None) -> Hostile:
    facts = {} if position is None else {"position": position}
    return Hostile(why, "malformed_json", body if isinstance(body, bytes) else body.encode(), facts=facts)


def _invalid(why: str, sent: Sent, *errors: tuple[str, str]) -> Hostile:
    return Hostile(why, "validation", sent.body.encode(), target=sent.target, errors=errors)


def _refused(code: str, why: str, sent: Sent, pointer: str, **facts: int) -> Hostile:
    return Hostile(why, code, sent.body.encode(), target=sent.target, errors=((pointer, code),), facts=facts)


def _get(code: str, why: str, target: str) -> Hostile:
    return Hostile(why, code, method="GET", target=target)


def _raw(body: str) -> Sent:
    return Sent(ROLL, body)


def _roll(**fields: Any) -> Sent:
    return Sent(ROLL, as_json({"value": 11, **fields}).decode())


def _contest(*contestants: Any, **fields: Any) -> Sent:
    return Sent(CONTEST, as_json({"contestants": contestants, **fields}).decode())


def _attack(**fields: Any) -> Sent:
    return Sent(ATTACK, as_json({"advantage": 0, **fields}).decode())


def _with_extra(raw: str) -> str:
    return f'{{"value":11,"extra":{raw}}}'


LONG: Final = NUMBER * 625
"""5,000 digits."""
KIB: Final = 1024
LARGEST: Final = b'{"value":11,"seed":"demo"}'.ljust(64 * KIB)
"""A body of exactly 64 KiB."""
LONGEST: Final = f"{ROLL}?request=" + '{"value":11,"seed":"demo"}'.replace('"', "%22")
LONGEST_TARGET: Final = LONGEST + "+" * (16 * KIB - len(LONGEST))
"""A path and query of exactly 16 KiB."""
SIDE: Final = {"values": [11]}

MALFORMED: Final = (
    _malformed("an empty body", "", 0),
    Hostile("no body at all", "malformed_json"),
    _malformed("nothing but white space", " \r\n\t "),
    _malformed("JSON that ends in a text", f'{{"value":11,"ref":"{WORD}', 31),
    _malformed("JSON that ends behind a colon", '{"value":', 9),
    _malformed("JSON that ends before its last brace", '{"value":11', 11),
    _malformed("JSON that ends within a literal", '{"value":11,"ref":nul', 21),
    _malformed("JSON that ends within a character", '{"value":11,"ref":"ä'.encode()[:-1]),
    _malformed("NaN", '{"value":NaN}', 9),
    _malformed("Infinity", '{"value":Infinity}', 9),
    _malformed("minus Infinity", '{"value":-Infinity}'),
    _malformed("NaN in a field that nobody knows", _with_extra("NaN"), 20),
    _malformed("NaN alone", "NaN", 0),
    _malformed("1e400", '{"value":1e400}'),
    _malformed("minus 1e400", '{"value":-1e400}'),
    _malformed("1e400 as a seed", '{"value":11,"seed":1e400}'),
    _malformed("1e400 as a face", '{"value":11,"faces":[1e400]}'),
    _malformed("1e400 in a field that nobody knows", _with_extra('[{"a":1e400}]')),
    _malformed("1e400 alone", "1e400"),
    _malformed("a lone high surrogate", f'{{"value":11,"ref":"{WORD}\\ud800"}}'),
    _malformed("a lone low surrogate", f'{{"value":11,"ref":"\\udc00{WORD}"}}'),
    _malformed("surrogates in the wrong order", '{"value":11,"ref":"\\udc00\\ud800"}'),
    _malformed("a lone surrogate in a name", '{"value":11,"\\ud800":1}'),
    _malformed("a lone surrogate in a field that nobody knows", _with_extra('"\\ud800"')),
    _malformed("a byte order mark", b"\xef\xbb\xbf" + _roll().body.encode(), 0),
    _malformed("UTF-16 with a byte order mark", _roll().body.encode("utf-16")),
    _malformed("UTF-16 without one", _roll().body.encode("utf-16-be")),
    _malformed("UTF-16 the other way around", _roll().body.encode("utf-16-le")),
    _malformed("UTF-32", _roll().body.encode("utf-32")),
    _malformed("Latin-1", _roll(ref="ä").body.encode("latin-1"), 19),
    _malformed("a byte that UTF-8 does not have", b'{"value":11,"ref":"ab\xff"}', 21),
    _malformed("such a byte in a name", b'{"value":11,"ab\xff":1}', 15),
    _malformed("an overlong slash", b'{"value":11,"ref":"\xc0\xaf"}'),
    _malformed("a surrogate in UTF-8", b'{"value":11,"ref":"\xed\xa0\x80"}'),
    _malformed("bad UTF-8 behind a very long integer", b'{"value":%s,"ref":"\xff"}' % LONG.encode()),
    _malformed("an unknown literal", '{"value":11,"ref":wurf}', 18),
    _malformed("Python's literals", '{"value":11,"ref":None}', 18),
    _malformed("an unknown literal in a second line", '{"value":11,"ref":"ä",\n"seed":x}', 31),
    _malformed("a second document", f'{{"value":11}} {{"ref":"{WORD}"}}', 13),
    _malformed("a missing comma", '{"value":11 "ref":1}', 12),
    _malformed("a comma too many", '{"value":11,}'),
    _malformed("single quotes", "{'value':11}", 1),
    _malformed("a comment", '{"value":11/* effective */}', 11),
    _malformed("a leading zero", '{"value":011}'),
    _malformed("a plus sign", '{"value":+5}', 9),
    _malformed("a fraction without digits", '{"value":5.}'),
    _malformed("a fraction without a whole", '{"value":.5}', 9),
    _malformed("hexadecimal digits", '{"value":0x5}'),
    _malformed("a control character in a text", '{"value":11,"ref":"a\x01"}', 20),
    _malformed("a line break in a text", '{"value":11,"ref":"a\nb"}'),
    _malformed("an unknown escape", '{"value":11,"ref":"\\x41"}'),
    _malformed("half an escape", '{"value":11,"ref":"\\u12"}'),
    _malformed("a form", f"value=11&ref={WORD}", 0),
    _malformed("arrays nested 33 deep", "[" * 33 + "1" + "]" * 33),
    _malformed("empty arrays nested 33 deep", "[" * 33 + "]" * 33),
    _malformed("objects nested 33 deep", '{"a":' * 33 + "1" + "}" * 33),
    _malformed("empty objects nested 33 deep", '{"a":' * 32 + "{}" + "}" * 32),
    _malformed("a field nested 33 deep", _with_extra("[" * 32 + "1" + "]" * 32)),
    _malformed("30,000 arrays nested in each other", "[" * 30_000 + "]" * 30_000),
    _malformed("60,000 open brackets", "[" * 60_000),
    _malformed("10,000 open objects", '{"a":' * 10_000),
    _malformed("a name given twice", '{"value":11,"value":11}'),
    _malformed("a name given twice, once escaped", '{"value":11,"v\\u0061lue":11}'),
    _malformed("a name given twice, once null", f'{{"value":11,"ref":null,"ref":"{WORD}"}}'),
    _malformed("a name given twice in a list", '{"value":11,"modifiers":[{"value":1,"value":1}]}'),
    _malformed("a name given twice where nobody knows it", _with_extra('{"a":1,"a":1}')),
    _malformed("a name that nobody knows given twice", '{"value":11,"a":1,"a":1}'),
    _malformed("a name given twice behind a very long integer", f'{{"value":{LONG},"a":1,"a":1}}'),
)

LARGE: Final = (
    Hostile("100,000 open brackets", "too_large", b"[" * 100_000),
    Hostile("65 KiB", "too_large", LARGEST.ljust(65 * KIB)),
    Hostile("one byte over 64 KiB", "too_large", LARGEST + b" "),
    Hostile(
        "65 KiB in chunks",
        "too_large",
        chunked(LARGEST.ljust(65 * KIB)),
        headers=(b"Transfer-Encoding: chunked",),
    ),
    Hostile(
        "one byte over 64 KiB in chunks",
        "too_large",
        chunked(LARGEST + b" "),
        headers=(b"Transfer-Encoding: chunked",),
    ),
    _get("uri_too_long", "a query over 16 KiB", LONGEST_TARGET + "+"),
    _get("uri_too_long", "a path over 16 KiB", "/" + "a" * 16 * KIB),
    Hostile("a long query on a POST", "uri_too_long", b"{}", target=f"{ROLL}?lang={'x' * 16 * KIB}"),
)

WRONG_TYPES: Final = (
    _invalid("a list", _raw("[]"), ("", "wrong_type")),
    _invalid("null", _raw("null"), ("", "wrong_type")),
    _invalid("a number", _raw("3"), ("", "wrong_type")),
    _invalid("a text", _raw(f'"{WORD}"'), ("", "wrong_type")),
    _invalid("true", _raw("true"), ("", "wrong_type")),
    _invalid("a request in a list", _raw(f"[{_roll().body}]"), ("", "wrong_type")),
    _invalid("32 arrays, which are JSON", _raw("[" * 32 + "]" * 32), ("", "wrong_type")),
    _invalid("an integer in quotes", _raw(f'{{"value":"{NUMBER}"}}'), ("/value", "wrong_type")),
    _invalid("an integer with a fraction of 0", _raw('{"value":5.0}'), ("/value", "wrong_type")),
    _invalid("a large fraction", _raw(f'{{"value":{NUMBER}.5}}'), ("/value", "wrong_type")),
    _invalid("an integer with an exponent", _raw('{"value":5e0}'), ("/value", "wrong_type")),
    _invalid("true for an integer", _raw('{"value":true}'), ("/value", "wrong_type")),
    _invalid("an object for an integer", _raw('{"value":{}}'), ("/value", "wrong_type")),
    _invalid("a list for an integer", _raw('{"value":[5]}'), ("/value", "wrong_type")),
    _invalid("a number for a text", _raw(f'{{"value":11,"ref":{NUMBER}}}'), ("/ref", "wrong_type")),
    _invalid("an object for a list", _roll(modifiers={}), ("/modifiers", "wrong_type")),
    _invalid("a text for a list", _attack(effects="wall"), ("/effects", "wrong_type")),
    _invalid("a number for an object", _roll(modifiers=[3]), ("/modifiers/0", "wrong_type")),
    _invalid("null in a list", _roll(modifiers=[None]), ("/modifiers/0", "wrong_type")),
    _invalid("numbers for contestants", _contest(SIDE, 3), ("/contestants/1", "wrong_type")),
    _invalid("a fraction as a seed", _raw('{"value":11,"seed":2.5}'), ("/seed", "wrong_type")),
    _invalid("a whole fraction as a seed", _raw('{"value":11,"seed":2.0}'), ("/seed", "wrong_type")),
    _invalid("true as a seed", _raw('{"value":11,"seed":true}'), ("/seed", "wrong_type")),
    _invalid("a list as a seed", _roll(seed=[WORD]), ("/seed", "wrong_type")),
    _invalid("an integer as a nonce", _roll(nonce=int(NUMBER)), ("/nonce", "wrong_type")),
    _invalid("a number as faces", _roll(faces=3), ("/faces", "wrong_type")),
    _invalid("a face in quotes", _roll(faces=["3"]), ("/faces/0", "wrong_type")),
    _invalid("a face with a fraction of 0", _roll(faces=[3.0]), ("/faces/0", "wrong_type")),
    _invalid("true as a face", _roll(faces=[True]), ("/faces/0", "wrong_type")),
    _invalid("null as a face", _roll(faces=[None]), ("/faces/0", "wrong_type")),
)

OUT_OF_RANGE: Final = (
    _invalid("one above the range", _raw('{"value":1001}'), ("/value", "out_of_range")),
    _invalid("one below the range", _raw('{"value":-1001}'), ("/value", "out_of_range")),
    _invalid("8 digits", _raw(f'{{"value":{NUMBER}}}'), ("/value", "out_of_range")),
    _invalid("20 digits", _raw('{"value":18446744073709551616}'), ("/value", "out_of_range")),
    _invalid("400 digits", _raw(f'{{"value":{LONG[:400]}}}'), ("/value", "out_of_range")),
    _invalid("5,000 digits", _raw(f'{{"value":{LONG}}}'), ("/value", "out_of_range")),
    _invalid("5,000 digits below zero", _raw(f'{{"value":-{LONG}}}'), ("/value", "out_of_range")),
    _invalid("5,000 digits as a seed", _raw(f'{{"value":11,"seed":{LONG}}}'), ("/seed", "out_of_range")),
    _invalid(
        "5,000 digits as a face", _raw(f'{{"value":11,"faces":[{LONG}]}}'), ("/faces/0", "out_of_range")
    ),
    _invalid(
        "5,000 digits in a list",
        _raw(f'{{"value":11,"modifiers":[{{"value":{LONG}}}]}}'),
        ("/modifiers/0/value", "out_of_range"),
    ),
    _invalid("5,000 digits where nobody knows them", _raw(_with_extra(LONG)), ("/extra", "unknown_field")),
    _invalid(
        "5,000 digits, and as many in a text",
        _raw(f'{{"value":{LONG},"ref":"{LONG}"}}'),
        ("/value", "out_of_range"),
        ("/ref", "too_long"),
    ),
    _invalid("2^53 as a seed", _roll(seed=2**53), ("/seed", "out_of_range")),
    _invalid("-2^53 as a seed", _roll(seed=-(2**53)), ("/seed", "out_of_range")),
    _invalid("2^64 as a seed", _roll(seed=2**64), ("/seed", "out_of_range")),
    _invalid("a face of 0", _roll(faces=[0]), ("/faces/0", "out_of_range")),
    _invalid("a face of -1", _roll(faces=[-1]), ("/faces/0", "out_of_range")),
    _invalid("21 on a d20", _roll(faces=[21]), ("/faces/0", "out_of_range")),
    _invalid("7 on a d6", _attack(faces=[7]), ("/faces/0", "out_of_range")),
    _invalid(
        "two impossible faces",
        _contest(SIDE, SIDE, faces=[0, 21]),
        ("/faces/0", "out_of_range"),
        ("/faces/1", "out_of_range"),
    ),
    _invalid("no damage", _attack(damage=0), ("/damage", "out_of_range")),
    _invalid("too much life", _attack(life=100_001), ("/life", "out_of_range")),
    _invalid("armor below 0", _attack(armor=-1), ("/armor", "out_of_range")),
)

LENGTHS: Final = (
    _invalid("a seed of 0 characters", _roll(seed=""), ("/seed", "too_short")),
    _invalid("a seed of 129 characters", _roll(seed="s" * 129), ("/seed", "too_long")),
    _invalid("a seed of 129 characters of 4 bytes", _roll(seed="🎲" * 129), ("/seed", "too_long")),
    _invalid("a nonce of 0 characters", _roll(nonce=""), ("/nonce", "too_short")),
    _invalid("a nonce of 129 characters", _roll(nonce="n" * 129), ("/nonce", "too_long")),
    *(
        _invalid(f"U+{ord(character):04X} in a {name}", _roll(**{name: WORD + character}), error)
        for name, error in {"seed": ("/seed", "format"), "nonce": ("/nonce", "format")}.items()
        for character in "\x00\t\n\r\x1f\x7f\x80\x85\x9f"
    ),
    _invalid("a control character first", _roll(seed="\n" + WORD), ("/seed", "format")),
    _invalid("a reference of 101 characters", _roll(ref="r" * 101), ("/ref", "too_long")),
    _invalid(
        "a label of 101 characters",
        _roll(modifiers=[{"value": 1, "label": "ä" * 101}]),
        ("/modifiers/0/label", "too_long"),
    ),
    _invalid(
        "a name of 101 characters",
        _contest(SIDE, {**SIDE, "name": "n" * 101}),
        ("/contestants/1/name", "too_long"),
    ),
    _invalid("51 modifiers", _roll(modifiers=[{"value": 1}] * 51), ("/modifiers", "too_many")),
    _invalid(
        "51 modifiers, one of them wrong",
        _roll(modifiers=[{"value": WORD}, *[{"value": 1}] * 50]),
        ("/modifiers/0/value", "wrong_type"),
        ("/modifiers", "too_many"),
    ),
    _invalid("no contestant", _contest(), ("/contestants", "too_few")),
    _invalid("one contestant", _contest(SIDE), ("/contestants", "too_few")),
    _invalid("three contestants", _contest(SIDE, SIDE, SIDE), ("/contestants", "too_many")),
    _invalid(
        "two contestants, one of them wrong",
        _contest({"values": [WORD]}, SIDE),
        ("/contestants/0/values/0", "wrong_type"),
    ),
    _invalid("no values", _contest(SIDE, {"values": []}), ("/contestants/1/values", "too_few")),
    _invalid("21 values", _contest({"values": [1] * 21}, SIDE), ("/contestants/0/values", "too_many")),
)

NAMES: Final = (
    _invalid("nothing of what is needed", _raw("{}"), ("/value", "missing")),
    _invalid("no value in a modifier", _roll(modifiers=[{}]), ("/modifiers/0/value", "missing")),
    _invalid("no contestants", Sent(CONTEST, "{}"), ("/contestants", "missing")),
    _invalid("no values of a contestant", _contest(SIDE, {}), ("/contestants/1/values", "missing")),
    _invalid("an unknown field", _roll(wurf=WORD), ("/wurf", "unknown_field")),
    _invalid("a field of another case", _roll(Ref=WORD), ("/Ref", "unknown_field")),
    _invalid("an unknown field that is null", _roll(wurf=None), ("/wurf", "unknown_field")),
    _invalid("an unknown field without a name", _roll(**{"": 1}), ("/", "unknown_field")),
    _invalid("a slash in a name", _roll(**{"a/b": 1}), ("/a~1b", "unknown_field")),
    _invalid("a tilde in a name", _roll(**{"a~b": 1}), ("/a~0b", "unknown_field")),
    _invalid("both in a name", _roll(**{"~/~1": 1}), ("/~0~1~01", "unknown_field")),
    _invalid("an umlaut in a name", _roll(größe=1), ("/größe", "unknown_field")),
    _invalid("braces in a name", _roll(**{"{x}": 1}), ("/{x}", "unknown_field")),
    _invalid("a name of 300 characters", _roll(**{"n" * 300: 1}), ("/" + "n" * 199, "unknown_field")),
    _invalid(
        "an unknown field in a list",
        _roll(modifiers=[{"value": 1}, {"value": 1, "wurf": WORD}]),
        ("/modifiers/1/wurf", "unknown_field"),
    ),
    _invalid(
        "another action's fields",
        _contest(SIDE, SIDE, value=11),
        ("/value", "unknown_field"),
    ),
    _invalid(
        "a field nested 32 deep, which is JSON",
        _raw(_with_extra("[" * 31 + "1" + "]" * 31)),
        ("/extra", "unknown_field"),
    ),
    _invalid("an effect twice", _attack(effects=["wall", "wall"]), ("/effects", "duplicate")),
    _invalid("an unknown effect", _attack(effects=["wall", WORD]), ("/effects/1", "not_allowed")),
    _invalid("an effect of another case", _attack(effects=["Wall"]), ("/effects/0", "not_allowed")),
    _invalid("an unknown defense", _attack(defense=WORD), ("/defense", "not_allowed")),
    _invalid(
        "everything wrong at once",
        _roll(value=WORD, ref=int(NUMBER), seed="", modifiers=[{"label": 5}], faces=[0], wurf=WORD),
        ("/value", "wrong_type"),
        ("/ref", "wrong_type"),
        ("/seed", "too_short"),
        ("/modifiers/0/value", "missing"),
        ("/modifiers/0/label", "wrong_type"),
        ("/faces/0", "out_of_range"),
        ("/wurf", "unknown_field"),
    ),
)

REFUSED: Final = (
    _refused("seed_and_faces", "a seed and faces", _roll(seed=WORD, faces=[7]), "/faces"),
    _refused("seed_and_faces", "faces and a seed", _raw('{"faces":[7],"seed":1,"value":1}'), "/faces"),
    _refused("seed_and_faces", "a seed and a nonce", _roll(seed=WORD, nonce=WORD), "/nonce"),
    _refused("seed_and_faces", "a nonce and faces", _roll(nonce=WORD, faces=[7]), "/faces"),
    _refused("seed_and_faces", "all three", _roll(seed=WORD, nonce=WORD, faces=[7]), "/nonce"),
    _refused("seed_and_faces", "a seed and too many faces", _roll(seed=WORD, faces=[7] * 9), "/faces"),
    _refused("nonces_off", "a nonce without a secret", _roll(nonce=WORD), "/nonce"),
    _refused("nonces_off", "such a nonce before the rule", Sent(ATTACK, f'{{"nonce":"{WORD}"}}'), "/nonce"),
    _refused("faces_count", "no faces", _roll(faces=[]), "/faces", given=0, needed=1, sides=20),
    _refused("faces_count", "one face too many", _roll(faces=[7, 7]), "/faces", given=2, needed=1, sides=20),
    _refused(
        "faces_count",
        "a face for one of two",
        _contest(SIDE, SIDE, faces=[7]),
        "/faces",
        given=1,
        needed=2,
        sides=20,
    ),
    _refused(
        "faces_count",
        "three faces for two",
        _contest(SIDE, SIDE, faces=[7, 7, 7]),
        "/faces",
        given=3,
        needed=2,
        sides=20,
    ),
    _refused("faces_count", "no d6", _attack(faces=[]), "/faces", given=0, needed=1, sides=6),
    _refused("advantage_or_accuracy", "no advantage", Sent(ATTACK, "{}"), "/advantage"),
    _refused("advantage_or_accuracy", "half of it", Sent(ATTACK, '{"accuracy":1}'), "/defense_value"),
    _refused("advantage_or_accuracy", "its other half", Sent(ATTACK, '{"defense_value":1}'), "/accuracy"),
    _refused(
        "advantage_or_accuracy",
        "both forms",
        _attack(accuracy=1, defense_value=1, faces=[]),
        "/accuracy",
    ),
    _refused("effect_needs_defense", "no defense", _attack(effects=["note"]), "/defense"),
    _refused("damage_or_scars", "both damages", _attack(damage=1, scars=1), "/scars"),
    _invalid(
        "a refusal and a wrong field",
        _roll(value=WORD, seed=WORD, faces=[7]),
        ("/value", "wrong_type"),
    ),
)

ADDRESSES: Final = (
    Hostile("an unknown ruleset", "not_found", _roll().body.encode(), target=f"/v1/{WORD}/roll"),
    Hostile("an unknown action", "not_found", _roll().body.encode(), target=f"/v1/zrps/{WORD}"),
    Hostile("an action of another ruleset", "not_found", b"{}", target="/v1/three-marks/contest"),
    Hostile("another case", "not_found", _roll().body.encode(), target="/v1/ZRPS/roll"),
    Hostile("no action", "not_found", _roll().body.encode(), target="/v1/zrps"),
    Hostile("a slash too many", "not_found", _roll().body.encode(), target=f"{ROLL}/"),
    _get("not_found", "an unknown path", f"/{WORD}"),
    Hostile("a POST to the page", "method_not_allowed", b"{}", target="/"),
    _get("not_found", "an unknown ruleset in the catalog", f"/v1/rulesets/{WORD}"),
    _get("not_found", "an unknown problem", f"/v1/problems/{WORD}"),
    _get("not_found", "bytes that are no UTF-8", "/%ff"),
    _get("not_found", "a zero byte", "/docs.js%00"),
    _get("not_found", "a way out of the folder", "/swagger/../../main.py"),
    _get("not_found", "an encoded way out of the folder", "/swagger%2f..%2f..%2fmain.py"),
    _get("not_found", "a file name that is too long", "/" + "a" * 5000),
    *(
        Hostile(f"the method {method}", "method_not_allowed", _roll().body.encode(), method=method)
        for method in ("PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")
    ),
    Hostile("a POST to a document", "method_not_allowed", b"{}", target="/v1/info"),
    Hostile("a POST to a file", "method_not_allowed", b"{}", target="/docs.js"),
    _get("missing_request", "no request", ROLL),
    _get("missing_request", "an empty request", f"{ROLL}?request="),
    _get("missing_request", "a request without a value", f"{ROLL}?request"),
    _get("missing_request", "a language alone", f"{ROLL}?lang=fr"),
    _get("malformed_json", "a request that is no JSON", f"{ROLL}?request={WORD}"),
    _get("malformed_json", "a request that is encoded twice", f"{ROLL}?request=%257B%257D"),
    _get("malformed_json", "a request with a broken escape", f"{ROLL}?request=%zz"),
    _get("malformed_json", "a request in Latin-1", f"{ROLL}?request=%7B%22ref%22:%22%e4%22%7D"),
    _get("malformed_json", "a request that is a zero byte", f"{ROLL}?request=%00"),
    _get("malformed_json", "a request with a name twice", f'{ROLL}?request={{"value":1,"value":1}}'),
    _get("unknown_parameter", "a request twice", f"{ROLL}?request={WORD}&request="),
    _get("unknown_parameter", "an unknown parameter", f"{ROLL}?request=%7B%7D&wurf={WORD}"),
    _get("unknown_parameter", "a parameter of another case", f"{ROLL}?Request={WORD}"),
    _get("unknown_parameter", "a parameter without a name", f"{ROLL}?={WORD}"),
    _get("unknown_parameter", "a parameter that is no UTF-8", f"{ROLL}?%ff={WORD}"),
    _get("unknown_parameter", "a language twice", f"/v1/info?lang={WORD}&lang={WORD}"),
    _get("unknown_parameter", "a request to a document", f"/v1/info?request={WORD}"),
    _get("unknown_parameter", "a parameter of a probe", f"/livez?wurf={WORD}"),
    Hostile("a request on a POST", "unknown_parameter", b"{}", target=f"{ROLL}?request={WORD}"),
    Hostile("an unknown parameter on a POST", "unknown_parameter", b"{}", target=f"{ROLL}?wurf={WORD}"),
    *(
        Hostile(f"the encoding {encoding}", "unsupported_encoding", WORD.encode(), headers=headers)
        for encoding, headers in {
            "gzip": (b"Content-Encoding: gzip",),
            "GZIP": (b"Content-Encoding: GZIP",),
            "br": (b"Content-Encoding: br",),
            "of one's own": (b"Content-Encoding: x-wurf",),
            "identity, then gzip": (b"Content-Encoding: identity, gzip",),
            "identity, and gzip in a second header": (
                b"Content-Encoding: identity",
                b"Content-Encoding: gzip",
            ),
            "gzip, and identity in a second header": (
                b"Content-Encoding: gzip",
                b"Content-Encoding: identity",
            ),
        }.items()
    ),
)

TABLE: Final = (
    *MALFORMED,
    *LARGE,
    *WRONG_TYPES,
    *OUT_OF_RANGE,
    *LENGTHS,
    *NAMES,
    *REFUSED,
    *ADDRESSES,
)
