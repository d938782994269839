"""What holds the project together: version, changelog, lock files, settings in the README."""

import re
import tomllib

import pytest

from app import __version__
from app.settings import Settings
from tests.serving import ROOT

LOCKS = sorted((path.name for path in ROOT.glob("requirements*.txt")), key=len)
"""That of the service first."""
PERMISSIVE = re.compile(r"MIT|BSD|Apache|PSF-2\.0|ISC|Unlicense|0BSD")


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_changelog_and_project_file_agree_on_the_version() -> None:
    released = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$", text_of("CHANGELOG.md"), re.MULTILINE
    )
    assert released[0] == __version__
    assert tomllib.loads(text_of("pyproject.toml"))["project"]["version"] == __version__


@pytest.mark.parametrize("name", LOCKS)
def test_every_locked_package_has_hashes_and_no_registry_is_named(name: str) -> None:
    lock = text_of(name)
    assert not re.search(r"https?://|index-url", lock)
    for entry in re.split(r"\n(?=\S)", re.sub(r"(?m)^\s*#.*\n?", "", lock).strip()):
        assert "==" in entry
        assert "--hash=sha256:" in entry


def test_every_dependency_of_the_service_is_locked() -> None:
    locked = set(re.findall(r"(?m)^([a-z0-9.-]+)==", text_of("requirements.txt")))
    for dependency in tomllib.loads(text_of("pyproject.toml"))["project"]["dependencies"]:
        assert re.split(r"[><=;\[ ]", dependency)[0] in locked


def test_the_license_of_every_package_of_the_service_is_listed_and_lets_everybody_use_it() -> None:
    rows = re.findall(r"(?m)^\| ([\w.-]+) +\| (.+?) +\|$", text_of("deploy/licenses.md"))[1:]
    listed = {re.sub(r"[-_.]+", "-", name).lower(): text for name, text in rows}
    packages = re.findall(r"(?m)^([a-z0-9.-]+)==\S+( ;)?", text_of("requirements.txt"))
    # One with a condition may be missing where the list was written.
    assert {name for name, condition in packages if not condition} <= listed.keys() <= dict(packages).keys()
    for text in listed.values():
        assert any(PERMISSIVE.search(choice) for choice in text.split(" OR "))
        assert "GPL" not in text


def test_every_lock_holds_the_same_versions_as_the_service_runs_on() -> None:
    service, *others = (set(re.findall(r"(?m)^[a-z0-9.-]+==\S+", text_of(name))) for name in LOCKS)
    for other in others:
        assert service <= other


def test_the_readme_names_every_setting() -> None:
    readme = text_of("README.md")
    for name in Settings.model_fields:
        assert f"`WURF_{name.upper()}`" in readme
