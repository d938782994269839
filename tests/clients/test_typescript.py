"""The TypeScript client: current, typed, small, ready to publish, and right against the real service."""

import gzip
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from app import __version__
from app.http.receipts import new_key
from tests.clients.package import HERE, PACKAGE, README, SCRIPTS, build, npm, run
from tests.serving import ROOT, Server, serving
from tests.web.javascript import node


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    build()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A service that signs receipts and takes nonces."""
    with serving(WURF_SIGNING_KEY=new_key(), WURF_NONCE_SECRET="s" * 32) as running:
        yield running


def test_the_types_are_those_of_the_openapi_document() -> None:
    npm("run", "generate", "--", "--check")


def test_the_compiler_accepts_what_it_must_and_refuses_the_rest() -> None:
    written = PACKAGE / "test" / "readme"
    shutil.rmtree(written, ignore_errors=True)
    written.mkdir()
    for number, script in enumerate(SCRIPTS):
        (written / f"{number}.mts").write_text(script, encoding="utf-8")
    run(PACKAGE / "node_modules" / ".bin" / "tsc", "--project", "tsconfig.check.json")


def test_the_client_is_right_against_the_service(server: Server) -> None:
    ran = subprocess.run(
        [node(), "--test", "--test-reporter=tap", "test/client.test.mjs"],
        cwd=PACKAGE,
        env=os.environ | {"WURF_URL": server.url},
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout
    counts = {name: int(count) for name, count in re.findall(r"^# (\w+) (\d+)$", ran.stdout, re.MULTILINE)}
    assert counts["pass"] == counts["tests"] > 30


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_example_of_the_readme_prints_what_stands_behind_it(script: str, server: Server) -> None:
    printed = run(node(), "--input-type=module", "--eval", script.replace(HERE, server.url))
    assert printed.splitlines() == re.findall(r"console\.log\(.*\); // (.*)", script)


def test_the_readme_knows_every_option_and_its_default() -> None:
    source = (PACKAGE / "src" / "client.ts").read_text(encoding="utf-8")
    declared = re.search(r"interface WurfOptions .*?\{(.*?)^}", source, re.MULTILINE | re.DOTALL)
    defaults = re.search(r"const \{(.*)\} = options;", source)
    assert declared
    assert defaults
    given = dict(re.findall(r"(\w+) = ([\d_]+)", defaults[1]))
    names = {*re.findall(r"^  (\w+)\?:", declared[1], re.MULTILINE), *given}
    assert names >= {"language", "apiKey", "fetch", "tries"}
    assert {name for name in names if f"| `{name}` |" not in README} == set()
    assert {name for name, value in given.items() if f"| `{name}` | {int(value)} |" not in README} == set()


def test_the_package_holds_what_it_exports_and_nothing_else() -> None:
    (packed,) = json.loads(npm("pack", "--dry-run", "--json", "--ignore-scripts"))
    files = {file["path"] for file in packed["files"]}
    modules = {"client", "index", "openapi", "problem", "retry", "types"}
    built = {f"dist/{module}.{ending}" for module in modules for ending in ("js", "d.ts")}
    assert files == built | {
        "dist/verify.mjs",
        "dist/verify.d.mts",
        "LICENSE",
        "README.md",
        "package.json",
    }
    manifest = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    exported = {path.removeprefix("./") for entry in manifest["exports"].values() for path in entry.values()}
    assert exported <= files


def test_the_package_says_what_the_project_says() -> None:
    manifest = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    assert manifest["version"] == __version__
    assert manifest["license"] == "MIT"
    assert manifest["type"] == "module"
    assert "private" not in manifest
    assert (PACKAGE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    verifier = (ROOT / "app" / "web" / "verify.mjs").read_bytes()
    assert (PACKAGE / "dist" / "verify.mjs").read_bytes() == verifier


def test_all_that_runs_is_a_few_kilobytes() -> None:
    ours = [PACKAGE / "dist" / f"{module}.js" for module in ("index", "client", "problem", "retry")]
    theirs = PACKAGE / "node_modules" / "openapi-fetch" / "dist" / "index.mjs"
    whole = b"".join(file.read_bytes() for file in [*ours, theirs])
    assert len(gzip.compress(whole)) < 8_000
    for file in ours:
        imported = set(re.findall(r'from "([^"]+)"', file.read_text(encoding="utf-8")))
        assert imported <= {"openapi-fetch", "./client.js", "./problem.js", "./retry.js"}


def test_every_locked_package_has_a_hash_and_no_registry_is_named() -> None:
    text = (PACKAGE / "package-lock.json").read_text(encoding="utf-8")
    assert "resolved" not in text
    packages = [package for name, package in json.loads(text)["packages"].items() if name]
    assert packages
    assert all(package["integrity"].startswith("sha512-") for package in packages)
