"""Every command in the README works and answers what stands below it."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import httpx
import pytest

from app.http.receipts import new_key
from tests.needs import program
from tests.serving import ROOT, Server, serving

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w[^\n]*)?\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
HERE = re.compile(r"(?:http://)?(?:localhost|127\.0\.0\.1):8000")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A service as the README has it: with a key for receipts."""
    with serving(WURF_SIGNING_KEY=new_key()) as running:
        yield running


def commands_and_answers(wanted: str = "sh") -> list[Any]:
    return [
        pytest.param(
            command.strip(), answer.strip(), id=command.split("localhost:8000")[1].split("'")[0].strip()
        )
        for (kind, command), (next_kind, answer) in pairwise(BLOCKS)
        if (kind, next_kind) == (wanted, "json")
    ]


def run(command: str, server: Server) -> str:
    words = shlex.split(HERE.sub(server.url, command))
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=30).stdout


@pytest.mark.parametrize(("command", "answer"), commands_and_answers())
def test_a_command_answers_what_stands_below_it(command: str, answer: str, server: Server) -> None:
    got = json.loads(run(command, server))
    shown = json.loads(answer)
    assert {name: got[name] for name in shown} == shown


def test_the_first_answer_is_exact_to_the_byte(server: Server) -> None:
    command, answer = commands_and_answers()[0].values
    assert run(command, server) == answer


def commands_and_lines() -> list[tuple[str, str]]:
    return [
        (command.strip(), answer.strip())
        for (kind, command), (next_kind, answer) in pairwise(BLOCKS)
        if (kind, next_kind) == ("sh", "text")
    ]


@pytest.mark.parametrize(("command", "answer"), commands_and_lines())
def test_a_command_answers_the_lines_that_stand_below_it(command: str, answer: str, server: Server) -> None:
    assert set(answer.splitlines()) <= set(run(command, server).splitlines())


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (command, answer)
        for (kind, command), (next_kind, answer) in pairwise(BLOCKS)
        if (kind, next_kind) == ("sh cli", "text")
    ],
)
def test_the_command_line_prints_what_stands_below_it(command: str, answer: str) -> None:
    python, *words = shlex.split(command)
    assert python == "python"
    ran = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=os.environ | {"COLUMNS": "80", "LC_ALL": "C.UTF-8"},
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert ran.stdout == answer


def test_every_command_that_asks_the_service_has_an_answer() -> None:
    commands = len([kind for kind, _ in BLOCKS if kind == "sh"])
    assert len(commands_and_answers()) + len(commands_and_lines()) == commands >= 7


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, list[str]]]:
    """A service as the README has it for the open internet, and two keys to it from the README's command."""
    (command,) = re.findall(r"^python (-m app api-key)$", README, re.MULTILINE)
    made = [
        subprocess.run(
            [sys.executable, *command.split()], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout.split()
        for _ in range(2)
    ]
    (line,) = re.findall(r"^(WURF_API_KEYS_FILE=.*) python -m app serve$", README, re.MULTILINE)
    settings = dict(setting.split("=") for setting in line.split())
    file = tmp_path_factory.mktemp("readme") / settings["WURF_API_KEYS_FILE"]
    file.write_text("".join(f"{digest}\n" for _, _, _, digest in made), encoding="utf-8")
    with serving(**settings | {"WURF_API_KEYS_FILE": str(file)}) as running:
        yield running, [key for _, key, _, _ in made]


def test_an_answer_tells_its_limit_as_shown(guarded: tuple[Server, list[str]]) -> None:
    server, (_, key) = guarded
    answer = httpx.post(f"{server.url}/v1/zrps/roll", content=b'{"value":11}', headers={"X-API-Key": key})
    shown = re.findall(r"^(RateLimit[\w-]*): (.*)$", README, re.MULTILINE)
    assert [answer.headers[name] for name, _ in shown] == [value for _, value in shown]
    assert len(shown) == 2


@pytest.mark.parametrize(("command", "answer"), commands_and_answers("sh key"))
def test_a_command_with_a_key_answers_what_stands_below_it(
    command: str, answer: str, guarded: tuple[Server, list[str]]
) -> None:
    server, (key, _) = guarded
    got = json.loads(run(command.replace("$KEY", key), server))
    shown = json.loads(answer)
    assert {name: got[name] for name in shown} == shown


def scripts() -> list[Any]:
    return [
        pytest.param(kind, script, id=f"{kind}-{number}")
        for number, (kind, script) in enumerate(BLOCKS)
        if kind in {"js", "js foundry"}  # the others have tests of their own, in test_recipes.py
    ]


@pytest.mark.parametrize(("kind", "script"), scripts())
def test_a_script_runs(kind: str, script: str, server: Server) -> None:
    node = program("node")
    stand_ins = """
      const game = { i18n: { lang: "de" } }, foundry = { utils: { randomID: () => "1234567890abcdef" } };
      const ChatMessage = { getSpeaker: () => null, create: ({ content }) => console.log(content) };
    """
    source = (stand_ins if "foundry" in kind else "") + HERE.sub(server.url, script)
    ran = subprocess.run(
        [node, "--input-type=module", "--eval", source],
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert re.search(r"gegen effektiven Wert" if "foundry" in kind else r"success \[ 3 \]", ran.stdout), ran


def test_the_seed_can_be_checked_with_openssl() -> None:
    (command,) = re.findall(r"^printf .*openssl.*$", README, re.MULTILINE)
    printed, asked = (shlex.split(part) for part in command.split("|"))
    text = printed[1].replace("\\n", "\n")
    ran = subprocess.run(asked, input=text, check=True, capture_output=True, text=True)
    digest = ran.stdout.split()[-1]
    first = next(byte for byte in bytes.fromhex(digest) if byte < 240)
    assert first % 20 + 1 == 3


def test_the_make_targets_of_the_readme_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"^make (\w+)", README, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    assert sys.version_info >= (3, 11)
