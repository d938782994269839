"""The npm package, built where it lies."""

import hashlib
import re
import subprocess
from pathlib import Path
from typing import Final

from tests.needs import program
from tests.npm import install, turn
from tests.serving import ROOT

PACKAGE: Final = ROOT / "clients" / "typescript"
README: Final = (PACKAGE / "README.md").read_text(encoding="utf-8")
SCRIPTS: Final = re.findall(
    r"^```ts\n(.*?)^```$",
    README + (ROOT / "README.md").read_text(encoding="utf-8"),
    re.MULTILINE | re.DOTALL,
)
"""The examples of its README and of the project's: TypeScript that is JavaScript too."""
HERE: Final = "http://localhost:8000"
"""Where the README's service is."""


def npm(*arguments: str) -> str:
    """Run npm in the package's folder; what it prints."""
    return run(program("npm"), *arguments)


def run(*command: str | Path) -> str:
    """Run a program in the package's folder; what it prints. Fails with all that it wrote."""
    ran = subprocess.run(command, cwd=PACKAGE, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def build() -> None:
    """Build the package, unless it is built from what is there."""
    install(PACKAGE)
    note, built = PACKAGE / "node_modules" / ".built-from", PACKAGE / "dist" / "verify.mjs"
    with turn(PACKAGE / "package.json"):
        sources = _digest_of_sources()
        if not (built.exists() and note.exists() and note.read_text(encoding="utf-8") == sources):
            npm("run", "build")
            note.write_text(sources, encoding="utf-8")


def _digest_of_sources() -> str:
    files = [*PACKAGE.glob("src/*"), *PACKAGE.glob("*.json"), ROOT / "app" / "web" / "verify.mjs"]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in sorted(files))).hexdigest()
