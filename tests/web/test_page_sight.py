"""How the page looks, and how it is for those who do not see it, in everything there is."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser

from tests.npm import install
from tests.serving import Server
from tests.web.browser import DESK, PHONE, browsing, context, watching
from tests.web.javascript import HERE

SHOTS = HERE / "screenshots"
"""Look at them after changing anything; git ignores them."""
CHECK = "async () => (await axe.run()).violations.map(({ id, nodes }) => [id, nodes.map((one) => one.html)])"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    with browsing() as running:
        yield running


@pytest.fixture(scope="module")
def axe() -> str:
    """The library that knows what hinders people."""
    install(HERE)
    return (HERE / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "look", [("en", "light"), ("en", "dark"), ("de", "light"), ("de", "dark")], ids="-".join
)
def test_nobody_is_hindered_and_everything_is_photographed(
    look: tuple[str, str], browser: Browser, server: Server, client: httpx.Client, axe: str
) -> None:
    language, theme = look
    SHOTS.mkdir(exist_ok=True)
    options = {"locale": language, "color_scheme": theme, "reduced_motion": "reduce"}
    with watching(context(browser, **options), server.url) as watched:
        for entry in client.get("/v1/rulesets").json():
            page = watched.open(f"?lang={language}#{entry['id']}/roll")
            page.get_by_role("radio", name="Seed").check()
            page.locator("[data-key=seed] input").fill("Wurf 1")
            page.click(".roll")
            page.wait_for_selector(".badge")
            page.evaluate(axe)
            assert page.evaluate(CHECK) == []
            for name, viewport in (("desk", DESK), ("phone", PHONE)):
                page.set_viewport_size(viewport)
                # As tall as the page: what sticks to the window's edge then hides nothing of it.
                height = page.evaluate("document.documentElement.scrollHeight")
                page.set_viewport_size({"width": viewport["width"], "height": height})
                page.screenshot(path=_shot(entry["id"], language, theme, name))
            page.set_viewport_size(DESK)


def test_nobody_is_hindered_by_what_opens_and_what_is_refused(
    browser: Browser, server: Server, axe: str
) -> None:
    for theme in ("light", "dark"):
        options = {"locale": "de", "color_scheme": theme, "viewport": PHONE, "reduced_motion": "reduce"}
        with watching(context(browser, **options), server.url) as watched:
            page = watched.open("#v20/roll")
            page.evaluate(axe)
            page.get_by_role("button", name="Merken").click()
            page.get_by_label("Genaue Brüche").check()
            page.get_by_text("Alle Werte").click()
            page.locator("summary", has_text="mehr").click()
            page.get_by_role("radio", name="Eigene").check()
            page.get_by_role("switch", name="Spezialisierung").check()
            page.locator(".needed[data-enough]").wait_for()
            page.locator(".refusal:visible").wait_for()
            assert page.evaluate(CHECK) == []
            page.screenshot(path=_shot("v20", "de", theme, "refused"), full_page=True)
            page.get_by_role("button", name="Einen Wurf prüfen").click()
            assert page.evaluate(CHECK) == []


def _shot(*names: str) -> Path:
    return SHOTS / f"{'-'.join(names)}.png"
