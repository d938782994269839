"""The command line: rolls without a server, in words, bars and JSON, and never a traceback."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.cli import main
from app.cli.paper import BLOCKS, Paper, Row, paper_of
from app.cli.rolling import WORDS, language_of
from app.rules.catalog import LANGUAGES
from app.rules.registry import RULESETS
from app.rules.ruleset import Action, Ruleset
from tests.serving import ROOT


class Shown(NamedTuple):
    """An example of an action, in one language."""

    ruleset: Ruleset
    action: Action[Any, Any, Any]
    request: Mapping[str, Any]
    language: str

    @property
    def typed(self) -> list[str]:
        """What a person types to roll it."""
        return [
            "roll",
            self.ruleset.id,
            self.action.name,
            json.dumps(self.request),
            "--lang",
            self.language,
        ]

    @property
    def path(self) -> str:
        """Where the service answers it."""
        return f"/v1/{self.ruleset.id}/{self.action.name}?lang={self.language}"


EXAMPLES = [
    Shown(ruleset, action, example.request, language)
    for ruleset in RULESETS
    for router in [import_module(f"app.routers.{ruleset.id.replace('-', '_')}").router]
    for action in ruleset.actions
    for example in router.examples[action.name]
    for language in LANGUAGES
]
every_example = pytest.mark.parametrize("shown", EXAMPLES, ids=lambda shown: shown.path)
ROLL = ["roll", "zrps", '{"value":11}', "--seed", "demo"]


@pytest.fixture(autouse=True)
def _a_terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run it as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "app", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        check=False,
    )


@every_example
def test_every_example_is_printed_in_words_and_bars(
    shown: Shown, capsys: pytest.CaptureFixture[str], client: httpx.Client
) -> None:
    assert main(shown.typed) == 0
    printed, said_wrong = capsys.readouterr()
    answer = client.post(shown.path, json=shown.request).json()
    words = shown.ruleset.catalog[shown.language]
    assert said_wrong == ""
    assert printed.startswith(f"{words.name} · {words.actions[shown.action.name]}\n")
    assert answer["text"] in " ".join(printed.split("\n"))
    assert " ".join(map(str, answer.get("faces", ()))) in printed
    if answer.get("seed"):
        assert f"{WORDS[shown.language]['seed']}: {answer['seed']}\n" in printed
    for outcome in shown.action.outcomes or ():
        assert words.outcomes[outcome] in printed
    if answer.get("outcome"):
        assert f"▸ {words.outcomes[answer['outcome']]}" in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert "{" not in printed


@every_example
def test_its_json_is_the_answer_of_the_service(
    shown: Shown, capsysbinary: pytest.CaptureFixture[bytes], client: httpx.Client
) -> None:
    assert main([*shown.typed, "--json", "--no-odds"]) == 0
    assert capsysbinary.readouterr().out == client.post(shown.path, json=shown.request).content + b"\n"
    assert main([*shown.typed, "--json"]) == 0
    with_odds = client.post(shown.path + "&odds=true" * bool(shown.action.odds), json=shown.request).content
    assert capsysbinary.readouterr().out == with_odds + b"\n"


def bars_of(printed: str) -> dict[str, int]:
    """Read the bars again, in eighths of a column."""
    return {
        label.strip(" ▸"): sum(BLOCKS.index(block) for block in bar)
        for label, bar in re.findall(rf"^(.+?) +\S+% ?([{BLOCKS.strip()}]*)$", printed, re.MULTILINE)
    }


def test_the_bars_are_as_long_as_the_odds_are_large(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(ROLL) == 0
    bars = bars_of(capsys.readouterr().out)
    assert bars == {
        "Critical success": 32,
        "Success": 144,
        "Failure": 96,
        "Critical failure": 48,
        "Passed": 176,
    }


@pytest.mark.parametrize("columns", [20, 30, 40, 60, 80, 200])
def test_no_line_is_longer_than_the_terminal_is_wide(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    sides = {"contestants": [{"values": [8, 13]}, {"values": [10]}], "faces": [9, 7]}
    assert main(["roll", "zrps", "contest", json.dumps(sides)]) == 0
    printed = capsys.readouterr().out
    longest = max(map(len, printed.splitlines()))
    assert longest <= max(columns, len("  No decisive advantage 15.8%"))
    assert ("█" in printed) == (columns >= 40)


@pytest.mark.parametrize(
    ("share", "english", "german"),
    [
        (0.0, "0.0%", "0,0 %"),
        (1e-9, "under 0.1%", "unter 0,1 %"),
        (0.05, "5.0%", "5,0 %"),
        (1 - 1e-9, "over 99.9%", "über 99,9 %"),
        (1.0, "100.0%", "100,0 %"),
    ],
)
def test_a_chance_is_not_called_certain_unless_it_is(share: float, english: str, german: str) -> None:
    from app.cli.rolling import Slip, _asked  # noqa: PLC0415

    for language, wanted in (("en", english), ("de", german)):
        slip = Slip(_asked(["zrps"]), language, Paper())
        assert slip._percent(share) == wanted


class Terminal(io.StringIO):
    """A terminal, as far as a program sees."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        """Say yes."""
        return True


@pytest.mark.parametrize(
    ("environment", "colored"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
    ids=str,
)
def test_colors_are_for_terminals_of_people_who_want_them(environment: dict[str, str], colored: bool) -> None:  # noqa: FBT001
    assert paper_of(Terminal(), environment).colored is colored
    assert not paper_of(io.StringIO(), environment).colored


def test_a_bar_has_the_color_of_its_outcome_and_the_one_that_happened_is_bold() -> None:
    rows = [Row("good", 0.5, "50%", 1), Row("bad", 0.5, "50%", -1, marked=True), Row("so so", 0.0, "0%")]
    good, bad, so_so = Paper(40, colored=True).bars(rows)
    assert good.startswith("  good  50% \x1b[32m█")
    assert bad.startswith("\x1b[1m▸ bad   50%\x1b[0m \x1b[31m█")
    assert so_so == "  so so  0%"


def test_a_terminal_without_blocks_gets_letters() -> None:
    ran = run(*ROLL, PYTHONIOENCODING="ascii", COLUMNS="60")
    assert ran.returncode == 0, ran.stderr
    assert b"> Success          45.0% ############" in ran.stdout
    assert ran.stdout.isascii()
    assert run(*ROLL, "--json", PYTHONIOENCODING="ascii").stdout == run(*ROLL, "--json").stdout


def test_it_reads_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"value":11,"faces":[20]}')))
    assert main(["roll", "zrps", "-"]) == 0
    printed = capsys.readouterr().out
    assert "Faces: 20 (d20; thrown by yourself)\n" in printed
    assert "Seed" not in printed


def test_the_same_seed_gives_the_same_and_no_seed_another(capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for arguments in (ROLL, ROLL, ROLL[:3], ROLL[:3]):
        assert main(arguments) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert len(set(printed)) == 3


def test_a_seed_on_the_command_line_takes_the_place_of_the_requests(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["roll", "zrps", '{"value":11,"seed":"another"}', "--seed", "demo"]) == 0
    assert "Seed: demo\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "de"),
        ({"LANG": "de_AT"}, "de"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LC_ALL": "en_US.UTF-8", "LANG": "de_DE.UTF-8"}, "en"),
        ({"LC_ALL": "", "LC_MESSAGES": "de", "LANG": "en"}, "de"),
    ],
    ids=str,
)
def test_it_speaks_the_language_of_the_terminal(environment: dict[str, str], language: str) -> None:
    assert language_of(environment) == language


def refusals() -> Iterator[Any]:
    """Give what is asked wrongly, and what is said of it in English and German."""
    yield (
        ["zrps", '{"value":"11","x":1}'],
        "The request is not valid:\n  /value (Base value) must be an integer",
        None,
    )
    yield ["zrps"], None, "Die Anfrage ist nicht gültig:\n  /value (Basiswert) ist nötig\n"
    yield ["zrps", "[]"], "  / must be an object\n", "  / muss ein Objekt sein\n"
    yield ["zrps", '{"value":NaN}'], '  {"value":NaN}\n           ^\n', "Nicht als JSON lesbar: "
    yield ["zrps", '{"value":1,"ref":"ä",x}'], '  {"value":1,"ref":"ä",x}\n                       ^\n', None
    yield (
        ["zrps", '{"value":1,"faces":[3]}', "--seed", "a"],
        "Two origins of the faces: Give at most one",
        None,
    )
    yield ["zrps", '{"value":1}', "--seed", ""], "  /seed must have at least 1 characters\n", None
    yield ["zrps", '{"value":1,"faces":[3,4]}'], None, "Falsche Zahl von Würfeln: Der Wurf braucht 1 Würfel"
    yield ["zrps", '{"value":1,"nonce":"a"}'], "Nonces", None
    yield (
        ["nothing"],
        "There is no such ruleset or action. There are:\n",
        "  zrps contest: ZRPS, Wettbewerb\n",
    )
    yield ["zrps", "nothing", "{}"], "There is no such ruleset or action.", None
    yield ["zrps", "contest", "{}", "{}"], "There is no such ruleset or action.", None


@pytest.mark.parametrize(("asked", "english", "german"), list(refusals()), ids=str)
def test_what_is_wrong_is_said_in_sentences(
    asked: list[str], english: str | None, german: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    for language, wanted in (("en", english), ("de", german)):
        assert main(["roll", *asked, "--lang", language]) == 2
        printed, said = capsys.readouterr()
        assert printed == ""
        assert wanted is None or wanted in said
        assert max(map(len, said.splitlines())) <= 80


def test_what_is_wrong_is_a_problem_document_in_json(
    capsysbinary: pytest.CaptureFixture[bytes], client: httpx.Client
) -> None:
    assert main(["roll", "zrps", '{"value":"11"}', "--json"]) == 2
    problem = client.post("/v1/zrps/roll", content=b'{"value":"11"}').json()
    del problem["instance"], problem["request_id"]
    assert json.loads(capsysbinary.readouterr().out) == problem


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    what=st.sampled_from([["zrps"], ["scorekeeper", "contest"], ["dice"], []]),
    request=st.text() | st.sampled_from(["{}", "-5", "--", "[" * 999, '{"sides":6,"count":1000}', "\udcff"]),
    seed=st.none() | st.text(),
)
def test_nothing_that_is_typed_ends_in_a_traceback(
    what: list[str], request: str, seed: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["roll", *what, request, *([] if seed is None else [f"--seed={seed}"])]
    try:
        status = main(typed)
    except SystemExit as ended:  # argparse has refused it
        status = int(ended.code or 0)
    assert status in {0, 2}
    assert "Traceback" not in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "app", "roll", "dice", '{"sides":6,"count":1000}']
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        assert running.stderr.read() == b""
    assert running.returncode == 0


def test_an_interruption_is_no_error_either(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.BytesIO):
        def read(self, *_: Any) -> bytes:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Interrupted()))
    assert main(["roll", "zrps", "-"]) == 130
