"""The conformance kit: its examples have their form, and its runner says of an implementation what is so."""

import ast
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar
from zipfile import ZipFile

import httpx
import pytest
from jsonschema_rs import Draft202012Validator

from kit.pack import CASES, KIT, NAME, OWN, edition, pack
from kit.run import difference
from tests.cases_reader import cases_of
from tests.serving import ROOT, Server

SETS = sorted(path.stem for path in CASES.glob("*.json"))
COUNTS = {name: len(cases_of(name)) for name in SETS}
ALL_HOLD = [f"{name}: {count} of {count} hold" for name, count in COUNTS.items()]
README = (KIT / "README.md").read_text(encoding="utf-8")
SCHEMAS = {
    name: Draft202012Validator(json.loads((KIT / f"{name}.schema.json").read_text(encoding="utf-8")))
    for name in ("cases", "dice1")
}
OURS = """
import json, sys
from app.rules.dice import SeededDice
from tests.rules.test_cases import resolved
for line in sys.stdin:
    asked = json.loads(line)
    if "dice1" in asked:
        row = asked["dice1"]
        dice = SeededDice(row["seed"], row["ruleset"], row["action"])
        said = {"faces": list(dice.throw(row["count"], row["sides"]))}
    else:
        said = resolved(asked)
    print(json.dumps(said), flush=True)
"""
"""Our own rules, as a program that reads and writes JSON lines."""


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kit as somebody gets it."""
    folder = tmp_path_factory.mktemp("kit")
    pack(folder / "kit.zip")
    with ZipFile(folder / "kit.zip") as archive:
        archive.extractall(folder)
    return folder / NAME


def run(kit: Path, *arguments: str) -> tuple[int, list[str]]:
    """Run the runner, with no package of ours in reach."""
    ran = subprocess.run(
        [sys.executable, "-I", "run.py", *arguments], cwd=kit, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in ran.stderr
    return ran.returncode, ran.stdout.splitlines()


def program(kit: Path, source: str, *only: str) -> tuple[int, list[str]]:
    """Run the runner against a program in Python that can reach our packages."""
    reach = f"import sys; sys.path.insert(0, {str(ROOT)!r}); exec({source!r})"
    chosen = [word for name in only for word in ("--only", name)]
    return run(kit, "program", *chosen, "--", sys.executable, "-c", reach)


@pytest.mark.parametrize("name", SETS)
def test_every_example_has_the_form_that_is_written_down(name: str) -> None:
    SCHEMAS["dice1" if name == "dice1" else "cases"].validate(cases_of(name))


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"ruleset": "ZRPS"},
        {"request": []},
        {"expect": {}},
        {"expect": {"status": 422}},
        {"expect": {"status": 500, "code": "internal"}},
        {"expect": {"status": 422, "code": "validation", "grade": 1}},
        {"reason": "further members"},
    ],
    ids=str,
)
def test_the_form_refuses_what_is_no_example(change: dict[str, Any]) -> None:
    one = cases_of("zrps")[0]
    assert SCHEMAS["cases"].is_valid([one])
    assert not SCHEMAS["cases"].is_valid([one | change])


def test_the_kit_is_the_same_to_the_byte_each_time(tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        pack(tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_the_kit_holds_everything_that_its_page_names(kit: Path) -> None:
    held = {path.relative_to(kit).as_posix() for path in kit.rglob("*") if path.is_file()}
    more = {"LICENSE", "edition.json", "openapi.json"}
    assert held == {*OWN, *more, *(f"cases/{name}.json" for name in SETS)}
    for name in held - {"README.md"}:
        assert f"`{name}`" in README or name.startswith("cases/")
    for name in SETS:
        assert (kit / "cases" / f"{name}.json").read_bytes() == (CASES / f"{name}.json").read_bytes()
    assert json.loads((kit / "edition.json").read_text(encoding="utf-8")) == edition()


@pytest.mark.parametrize("name", ["run.py", "example.py"])
def test_its_programs_need_nothing_but_an_old_python(name: str) -> None:
    tree = ast.parse((KIT / name).read_text(encoding="utf-8"), feature_version=(3, 8))
    imported = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else node.names[0].name
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert imported
    assert {module.partition(".")[0] for module in imported} <= sys.stdlib_module_names


def test_the_service_holds_every_example(kit: Path, server: Server) -> None:
    assert run(kit, "http", server.url, "--texts") == (0, ALL_HOLD)


def test_a_program_with_our_rules_holds_every_example(kit: Path) -> None:
    assert program(kit, OURS) == (0, ALL_HOLD)


def test_the_example_holds_what_it_implements(kit: Path) -> None:
    command = [sys.executable, "example.py"]
    chosen = ("--only", "dice", "--only", "dice1")
    held = [line for line in ALL_HOLD if line.startswith("dice")]
    assert run(kit, "program", *chosen, "--", *command) == (0, held)
    status, said = run(kit, "program", "--only", "zrps", "--", *command)
    assert (status, said[-1]) == (1, f"zrps: 0 of {COUNTS['zrps']} hold")


@pytest.mark.parametrize(
    ("was", "becomes"),
    [('"dice1", ruleset', '"dice2", ruleset'), ("byte < limit", "byte <= limit"), ("% sides + 1", "% sides")],
)
def test_a_stream_that_is_another_is_noticed(was: str, becomes: str, kit: Path) -> None:
    source = (kit / "example.py").read_text(encoding="utf-8")
    status, said = program(kit, source.replace(was, becomes), "dice1")
    assert source.count(was) == 1
    assert status == 1
    assert "dice1 0: dice1" in said


class Altered(BaseHTTPRequestHandler):
    """Hands requests on to the service, and alters the answer to one of them."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    upstream: ClassVar[httpx.Client]
    target: ClassVar[Any]
    change: ClassVar[dict[str, Any]]

    def do_POST(self) -> None:
        """Answer as the service does, but for one request."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self.upstream.post(self.path, content=body)
        said, status = answer.json(), answer.status_code
        if json.loads(body) == self.target:
            said |= self.change
            status = self.change.get("status", status)
        content = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@contextmanager
def altered(client: httpx.Client, target: Any, change: dict[str, Any]) -> Iterator[str]:
    """Serve altered answers, and give their address."""
    handler = type("Once", (Altered,), {"upstream": client, "target": target, "change": change})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        thread = Thread(target=serving.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{serving.server_port}"
        finally:
            serving.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("number", "change", "fails"),
    [
        (0, {"grade": 11}, "/grade: want 10, got 11"),
        (0, {"grade": 10.0}, "/grade: want 10, got 10.0"),
        (0, {"grade": "10"}, '/grade: want 10, got "10"'),
        (0, {"critical_by": ["die"]}, '/critical_by: want ["die", "grade"], got ["die"]'),
        (0, {"critical_by": ["grade", "die"]}, '/critical_by/0: want "die", got "grade"'),
        (0, {"status": 422, "code": "validation"}, "want an answer, got 422 validation"),
        (2, {"code": "validation"}, '/code: want "seed_and_faces", got "validation"'),
        (2, {"status": 400}, "/status: want 422, got 400"),
    ],
)
def test_an_altered_answer_is_named(
    number: int, change: dict[str, Any], fails: str, kit: Path, client: httpx.Client
) -> None:
    case = cases_of("zrps")[number]
    with altered(client, case["request"], change) as url:
        status, said = run(kit, "http", url, "--only", "zrps")
    assert status == 1
    assert said[:2] == [f"zrps {number}: {case['name']}", f"    {fails}"]
    assert json.loads(said[2].partition("asked: ")[2])["request"] == case["request"]
    assert said[3:] == [f"zrps: {COUNTS['zrps'] - 1} of {COUNTS['zrps']} hold"]


def test_an_altered_face_of_a_seed_is_named(kit: Path, client: httpx.Client) -> None:
    row = cases_of("dice1")[0]
    with altered(client, {"value": 10, "seed": row["seed"]}, {"faces": [13]}) as url:
        status, said = run(kit, "http", url, "--only", "dice1")
    assert status == 1
    assert said[:2] == ["dice1 0: dice1", "    /faces/0: want 12, got 13"]


@pytest.mark.parametrize(
    ("want", "got", "fails"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}, None),
        ({"a": {"b": 1}}, {"a": {}}, "/a/b: missing"),
        ({"a": {"b": 1}}, {"a": [1]}, '/a: want {"b": 1}, got [1]'),
        ({"a": None}, {}, "/a: missing"),
        ({"a": None}, {"a": None}, None),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, None),
        ({"a": 1}, {"a": True}, "/a: want 1, got true"),
        ({"a": 0}, {"a": False}, "/a: want 0, got false"),
        ({"a": 0}, {"a": None}, "/a: want 0, got null"),
        ({"a": []}, {"a": [1]}, "/a: want [], got [1]"),
        ({"a": 1}, [], ': want {"a": 1}, got []'),
    ],
)
def test_an_answer_may_say_more_than_is_expected_but_nothing_else(
    want: Any, got: Any, fails: str | None
) -> None:
    assert difference(want, got) == fails


@pytest.mark.parametrize(
    "source",
    ["", "print('no JSON')", "raise SystemExit(3)", "import time; time.sleep(60)"],
    ids=["silent", "no JSON", "fails", "hangs"],
)
def test_a_program_that_gives_no_answer_is_said_so(source: str, kit: Path, tmp_path: Path) -> None:
    patient = tmp_path / NAME
    patient.mkdir()
    (patient / "cases").symlink_to(kit / "cases")
    text = (kit / "run.py").read_text(encoding="utf-8")
    (patient / "run.py").write_text(text.replace("SECONDS = 10\n", "SECONDS = 1\n"), encoding="utf-8")
    assert "SECONDS = 10\n" in text
    assert run(patient, "program", "--", sys.executable, "-c", source) == (2, [])


def test_a_program_or_a_service_that_is_not_there_is_said_so(kit: Path) -> None:
    assert run(kit, "program", "--", str(kit / "nothing")) == (2, [])
    assert run(kit, "http", "http://127.0.0.1:9") == (2, [])


def test_a_key_is_sent_along(kit: Path, client: httpx.Client) -> None:
    seen = set()

    class Keyed(Altered):
        upstream, target, change = client, None, {}

        def do_POST(self) -> None:
            seen.add(self.headers["X-API-Key"])
            super().do_POST()

    with ThreadingHTTPServer(("127.0.0.1", 0), Keyed) as serving:
        thread = Thread(target=serving.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{serving.server_port}"
        status, _ = run(kit, "http", url, "--only", "dice", "--header", "X-API-Key: secret")
        serving.shutdown()
        thread.join()
    assert (status, seen) == (0, {"secret"})


def commands() -> list[list[str]]:
    """Read the commands of the page."""
    return [
        shlex.split(line)[1:]
        for block in re.findall(r"^```\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
        if line.startswith("python3 run.py")
    ]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_of_its_page_works(command: list[str], kit: Path, server: Server) -> None:
    addresses = {"http://localhost:8000", "https://rolls.example"}
    words = [server.url if word in addresses else word for word in command]
    words = [sys.executable if word == "python3" else word for word in words]
    assert run(kit, *words[1:])[0] == 0


def test_the_examples_of_its_page_are_true(client: httpx.Client) -> None:
    (shown,) = re.findall(r"^```json\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert json.loads(shown) in cases_of("zrps")
    lines = re.findall(r"^→ (.*)\n← (.*)$", README, re.MULTILINE)
    assert len(lines) == 3
    for sent, said in lines:
        asked, answered = json.loads(sent), json.loads(said.replace(", …", ""))
        if "dice1" in asked:
            row = {name: asked["dice1"][name] for name in ("seed", "ruleset", "action", "sides")}
            assert row | answered in cases_of("dice1")
            assert asked["dice1"]["count"] == len(answered["faces"])
        else:
            got = client.post(f"/v1/{asked['ruleset']}/{asked['action']}", json=asked["request"]).json()
            assert difference(answered, got) is None
