"""The page, used as people use it."""

import json
import re
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, Route, expect

from tests.needs import program
from tests.serving import ROOT, Server, serving
from tests.web.browser import PHONE, Watched, browsing, context, roll, settled, watching
from tests.web.javascript import node
from tests.web.sixth import EXAMPLE, Sixth
from tests.web.tokens import PRIVATE_JWK

ORIGINS = ("seed", "nonce", "faces")
ACTIONS = [
    "pathfinder2e/roll",
    "pathfinder2e/amount",
    "v20/roll",
    "scorekeeper/roll",
    "scorekeeper/contest",
    "scorekeeper/extended",
    "zrps/roll",
    "zrps/contest",
    "three-marks/roll",
    "dice/roll",
]
WITH_ODDS = [action for action in ACTIONS if action not in {"pathfinder2e/amount", "dice/roll"}]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests here."""
    with browsing() as running:
        yield running


@pytest.fixture(scope="module")
def at_desk(browser: Browser) -> BrowserContext:
    """A reader of English at a desk."""
    return context(browser, permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture(scope="module")
def on_phone(browser: Browser) -> BrowserContext:
    """A reader of German with a phone."""
    return context(browser, locale="de-AT", viewport=PHONE)


@pytest.fixture
def watched(at_desk: BrowserContext, server: Server) -> Iterator[Watched]:
    """The page of the shared service, in English at a desk."""
    with watching(at_desk, server.url) as page:
        yield page


@pytest.fixture
def german(on_phone: BrowserContext, server: Server) -> Iterator[Watched]:
    """The same in German on a phone."""
    with watching(on_phone, server.url) as page:
        yield page


def link(action: str, request: dict[str, Any]) -> str:
    return f"#{action}?{quote(json.dumps(request))}"


def example(client: httpx.Client, action: str) -> dict[str, Any]:
    """What an action's example says of the situation."""
    ruleset, name = action.split("/")
    actions = client.get(f"/v1/rulesets/{ruleset}").json()["actions"]
    (request,) = (one["example"]["requests"]["en"] for one in actions if one["name"] == name)
    return {name: value for name, value in request.items() if name not in ORIGINS}


def lines(page: Page) -> list[str]:
    """Read the slip, line by line."""
    return [" ".join(row.split()) for row in page.locator(".paper tr").all_inner_texts()]


def is_roll(request: Request) -> bool:
    return request.method == "POST" and not re.search("/odds|/batch", request.url)


def number(page: Page, label: str) -> Locator:
    return page.get_by_role("spinbutton", name=label, exact=True)


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


# Opening


def test_it_opens_with_an_example_filled_in_and_its_odds_drawn(watched: Watched) -> None:
    page = watched.open()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pathfinder (second edition)")
    expect(number(page, "Attribute modifier").first).to_have_value("4")
    expect(page.locator(".big")).to_have_text("75% Success")
    expect(page.get_by_role("button", name="Roll 75% Success")).to_be_visible()
    expect(page.locator(".paper tr")).to_have_count(0)


def test_the_page_allows_itself_nothing_from_elsewhere(client: httpx.Client) -> None:
    answer = client.get("/")
    policy = dict(one.strip().split(" ", 1) for one in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    again = client.get("/", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/?utm_source=x").status_code == 400


def test_where_the_service_is_away_it_says_so_and_tries_again(watched: Watched) -> None:
    page = watched.page
    page.route("**/v1/rulesets", lambda route: route.abort(), times=1)
    page.goto(watched.url)
    expect(page.get_by_role("alert")).to_contain_text("The service does not answer.")
    press(page, "Try again")
    settled(page)
    watched.complaints.clear()  # Chromium notes the connection that was cut


# Rolling


@pytest.mark.parametrize("action", ACTIONS)
def test_every_action_is_rolled_and_worked_out_again(action: str, watched: Watched) -> None:
    page = watched.open(f"#{action}")
    with page.expect_response(lambda response: is_roll(response.request)) as answered:
        page.click(".roll")
    answer = answered.value.json()
    if answer.get("label"):
        expect(page.locator(".stamp")).to_have_text(answer["label"])
    else:
        expect(page.locator(".stamp")).to_contain_text(str(answer.get("total", answer.get("result"))))
    expect(page.locator(".stamp")).to_be_focused()
    expect(page.locator(".sentence")).to_have_text(answer["text"])
    assert page.locator(".paper .die").count() == len(answer.get("faces", []))
    assert len(lines(page)) >= 2
    if "faces" in answer:
        expect(page.locator(".badge")).to_have_text("✓ checked")
        expect(page.locator(".seed code")).to_have_text(answer["seed"])
    expect(page.locator(".proof li").last).to_contain_text("comes to the same")
    expect(page.locator(".log li")).to_have_count(1)
    assert watched.complaints == []


def test_every_number_stands_on_its_line_and_what_does_not_count_is_struck(watched: Watched) -> None:
    page = watched.open(link("pathfinder2e/roll", PATHFINDER | {"faces": [14]}))
    expect(page.locator(".stamp")).to_have_text("Hit")
    assert lines(page) == [
        "Attribute +4",
        "Proficiency (Expert, 5) +9",
        "Heroism (Status) +1",
        "Bless (Status) Another of its type counts +1",
        "Total modifier 14",
        "Die +14",
        "Result 28",
        "Against DC 20",
        "Margin +8",
        "Degree by the numbers Success",
    ]
    expect(page.locator(".struck del")).to_have_text(["Bless (Status)", "+1"])


PATHFINDER: dict[str, Any] = {
    "check": "attack",
    "attribute_modifier": 4,
    "proficiency": {"rank": "expert", "level": 5},
    "modifiers": [
        {"type": "status", "value": 1, "label": "Heroism"},
        {"type": "status", "value": 1, "label": "Bless"},
    ],
    "dc": 20,
}


@pytest.mark.parametrize(
    ("action", "request_", "shown"),
    [
        (
            "pathfinder2e/roll",
            {"against": {"attribute_modifier": 3}, "fortune": True, "faces": [4, 20]},
            [
                "Fortune ✓",
                "Die +20",
                "Result 20",
                "Base 10",
                "Attribute +3",
                "Against DC 13",
                "Margin +7",
                "Degree by the numbers Success",
                "After the natural 20 or 1 Critical success",
            ],
        ),
        (
            "scorekeeper/roll",
            {"attribute": 4, "skill": 2, "handicap": 2, "helpers": [{"label": "Olaf"}], "faces": [1]},
            [
                "Attribute 4",
                "Skill points +2",
                "Olaf +2",
                "Action value 8",
                "Handicap −2",
                "Target 6",
                "Die −1",
                "Margin 5",
                "Action value 8",
                "Die −1",
                "Handicap +2",
                "Natural 1, or at least 0 +10",
                "Effect 19",
                "Rating Nearly perfect",
            ],
        ),
        (
            "three-marks/roll",
            {"advantage": 1, "effects": ["exposed", "stand_firm", "focused"], "defense": "body", "damage": 5}
            | {"armor": 2, "faces": [2]},
            [
                "Advantage 1",
                "By effects +1",
                "Advantage 2",
                "Exposed ✓",
                "Standing firm does not count here ✓",
                "Focused ✓",
                "Die 2",
                "Result rolled Hit",
                "Exposed Hit → Critical hit",
                "Armor in force 2",
                "Printed damage 5",
                "By the result +2",
                "Damage by the result 7",
                "Armor −2",
                "Damage dealt 5",
            ],
        ),
        (
            "pathfinder2e/amount",
            {"value": 7, "multipliers": [2], "basic_save": "critical_failure", "halve": True},
            [
                "Multipliers 2",
                "Basic saving throw Critical failure",
                "Halve ✓",
                "Amount 7",
                "Multiplier in all × 3",
                "Halved or saved, rounded down −11",
                "Result 10",
            ],
        ),
    ],
)
def test_the_lines_of_a_slip_add_up(
    action: str, request_: dict[str, Any], shown: list[str], watched: Watched
) -> None:
    page = watched.open(link(action, request_))
    if "faces" not in request_:
        roll(page)
    page.wait_for_selector(".stamp")
    assert lines(page) == shown


def test_enter_rolls_and_the_verdict_is_read_out(watched: Watched) -> None:
    page = watched.open("#zrps/roll")
    number(page, "Base value").press("Enter")
    expect(page.locator(".stamp")).to_be_focused()
    expect(page.locator("body > [role=status]")).to_have_text(page.locator(".sentence").inner_text())
    page.keyboard.press("Enter")
    expect(page.locator(".log li")).to_have_count(2)


def test_whoever_goes_by_keyboard_stays_where_they_are(watched: Watched) -> None:
    page = watched.open("#zrps/roll")
    for name, heading in (("Scorekeeper", "Scorekeeper"), ("Contest", "Scorekeeper"), ("DE", "Scorekeeper")):
        page.get_by_role("button", name=name, exact=True).press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        assert page.evaluate("document.activeElement.matches('[aria-current], [aria-pressed=true]')")
    expect(page).to_have_title("Scorekeeper, Konkurrierender Wurf · Wurf")


def test_the_same_seed_gives_the_same_slip(watched: Watched) -> None:
    page = watched.open("#v20/roll")
    page.get_by_role("radio", name="Seed").check()
    page.get_by_label("Seed", exact=True).last.fill("Nia 4")
    roll(page)
    first = lines(page)
    roll(page)
    expect(page.locator(".log li")).to_have_count(2)
    assert lines(page) == first
    expect(page.locator(".tray .aside")).to_have_text("Dice: 5, 8, 5, 7, 5")


def test_it_tells_how_many_dice_are_needed_and_reads_those_thrown_at_the_table(german: Watched) -> None:
    page = german.open("#pathfinder2e/roll")
    page.get_by_role("radio", name="Eigene").check()
    told = page.locator(".needed")
    expect(told).to_have_text("0 von 1 Würfeln angegeben, jeder mit 20 Seiten")
    page.get_by_label("Glück", exact=True).check()
    expect(told).to_have_text("0 von 2 Würfeln angegeben, jeder mit 20 Seiten")
    for face in (17, 4):
        press(page, f"{face} auf einem Würfel mit 20 Seiten")
    expect(told).to_have_attribute("data-enough", "true")
    assert german.complaints == []
    roll(page)
    expect(page.locator(".paper")).to_contain_text("Am Tisch geworfen")
    expect(page.locator(".tray .aside")).to_have_text("Würfel: 17, 4")
    press(page, "Letzten Würfel zurücknehmen")
    page.click(".roll")
    expect(page.locator("[data-key=faces] .refusal")).to_be_visible()


# Chances


@pytest.mark.parametrize("action", WITH_ODDS)
def test_the_chart_shows_the_odds_of_the_service(action: str, watched: Watched, client: httpx.Client) -> None:
    odds = client.post(f"/v1/{action}/odds", json=example(client, action)).json()
    page = watched.open(f"#{action}")
    page.get_by_label("Exact fractions").check()
    rows = page.locator(".outcomes tbody tr")
    assert rows.locator(".exact").all_inner_texts() == [one["exact"] for one in odds["outcomes"]]
    grown = page.locator(".bar.now > span").evaluate_all(
        "all => all.map((one) => Number(one.style.flexGrow))"
    )
    assert grown == pytest.approx([one["probability"] for one in odds["outcomes"]], rel=1e-5)
    heights = page.locator(".histogram rect").evaluate_all(
        "all => all.map((one) => one.height.baseVal.value)"
    )
    highest = max(one["probability"] for one in odds["distribution"])
    wanted = [max(one["probability"] / highest * 96, 0.75) for one in odds["distribution"]]
    assert heights == pytest.approx(wanted, rel=1e-4)
    page.get_by_text("All values").click()
    values = page.locator(".values").first.locator("tbody tr[data-value]")
    assert values.locator(".exact").all_inner_texts() == [one["exact"] for one in odds["distribution"]]


def test_chances_follow_the_typing_and_can_be_compared(watched: Watched) -> None:
    page = watched.open(link("zrps/roll", {"value": 8}))
    expect(page.locator(".big")).to_have_text("40% Success")
    press(page, "Remember this")
    press(page, "Base value: one more")
    expect(page.locator(".compared")).to_have_text("remembered 40% → now 45% (+5)")
    expect(page.locator("[data-outcome=success] td").last).to_have_text("+5")
    expect(page.locator(".bar")).to_have_count(2)
    press(page, "Back to it")
    expect(number(page, "Base value")).to_have_value("8")
    press(page, "Forget")
    expect(page.locator(".bar")).to_have_count(1)


def test_odds_that_come_late_are_dropped(watched: Watched) -> None:
    page = watched.open(link("zrps/roll", {"value": 8}))
    held: list[Route] = []
    page.route("**/v1/zrps/roll/odds*", lambda route: held.append(route))  # noqa: PLW0108  takes no builtin
    for value in ("9", "12"):
        number(page, "Base value").fill(value)
        while not held or f'"value":{value}' not in (held[-1].request.post_data or ""):
            page.wait_for_timeout(20)
    held[-1].continue_()
    expect(page.locator(".big")).to_have_text("60% Success")
    held[0].continue_()
    page.wait_for_load_state("networkidle")
    expect(page.locator(".big")).to_have_text("60% Success")


def test_of_alternatives_only_the_chosen_one_counts(watched: Watched) -> None:
    page = watched.open(link("pathfinder2e/roll", {"dc": 15}))
    expect(page.locator(".big")).to_have_text("30% Success")
    page.get_by_role("radio", name="Opponent's statistic").check()
    expect(page.locator(".big")).to_have_text("55% Success")
    page.get_by_label("Opponent's statistic").get_by_role("spinbutton", name="Attribute modifier").fill("2")
    expect(page.locator(".big")).to_have_text("45% Success")
    page.get_by_role("radio", name="DC").check()
    expect(page.locator(".big")).to_have_text("30% Success")


# Refusals


class Wrong(NamedTuple):
    """A situation that is refused, where, and how people are told."""

    action: str
    request: dict[str, Any]
    field: str
    english: str
    german: str


WRONG = [
    Wrong(
        "v20/roll",
        {"pool": 5, "difficulty": 14},
        "difficulty",
        "must be at most 10",
        "darf höchstens 10 sein",
    ),
    Wrong(
        "pathfinder2e/roll",
        {"dc": 15, "modifiers": [{"type": "item", "value": 1}, {"type": "item", "value": 2000}]},
        "modifiers.1.value",
        "must be at most 1000",
        "darf höchstens 1000 sein",
    ),
    Wrong(
        "scorekeeper/roll",
        {"attribute": 9, "skill": 0, "academic": True},
        "skill",
        "Academic knowledge takes at least 1 skill point",
        "Akademisches Wissen verlangt mindestens 1 eigenen Fertigkeitspunkt",
    ),
    Wrong(
        "zrps/contest",
        {"contestants": [{"values": [3]}, {"values": []}]},
        "contestants.1.values",
        "must have at least 1 entries",
        "muss mindestens 1 Einträge haben",
    ),
]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.field)
def test_a_refusal_stands_at_its_field_in_the_readers_language(wrong: Wrong, watched: Watched) -> None:
    page = watched.page
    page.goto(f"{watched.url}/{link(wrong.action, wrong.request)}")
    place = page.locator(".fields")
    for step in wrong.field.split("."):
        inner = f":scope > .rows > [data-row] >> nth={step}" if step.isdigit() else f"[data-key={step}]"
        place = place.locator(inner)
    refusal = place.locator(":scope > .refusal")
    expect(refusal).to_contain_text(wrong.english)
    press(page, "DE")
    expect(refusal).to_contain_text(wrong.german)
    page.click(".roll")
    expect(page.get_by_role("alert")).to_have_text("Bitte sieh dir die markierten Felder an.")
    assert place.evaluate("place => place.contains(document.activeElement)")


def test_a_refusal_goes_when_its_cause_goes(watched: Watched) -> None:
    page = watched.open(link("v20/roll", {"pool": 5, "difficulty": 14}).replace("14", "10"))
    number(page, "Difficulty").fill("14")
    expect(page.locator("[data-key=difficulty] .refusal")).to_have_text("must be at most 10")
    expect(number(page, "Difficulty")).to_have_attribute("aria-invalid", "true")
    number(page, "Difficulty").fill("7")
    expect(page.locator(".refusal:visible")).to_have_count(0)
    expect(page.locator("[aria-invalid]")).to_have_count(0)
    expect(page.locator(".stale")).to_be_hidden()


# Language, theme, motion


def test_another_language_changes_the_words_and_nothing_else(watched: Watched) -> None:
    page = watched.open("#pathfinder2e/roll")
    number(page, "DC").fill("23")
    roll(page)
    seed = page.locator(".seed code").inner_text()
    dice = page.locator(".die").first.get_attribute("data-face")
    press(page, "DE")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pathfinder (2. Edition)")
    expect(number(page, "SG")).to_have_value("23")
    expect(page.locator(".sentence")).to_contain_text("Angriffswurf")
    expect(page.locator(".seed code")).to_have_text(seed)
    expect(page.locator(".die").first).to_have_attribute("data-face", dice or "")
    expect(page.locator(".badge")).to_have_text("✓ nachgerechnet")
    expect(page.locator(".paper")).to_contain_text("Seed vom Dienst gezogen")
    page.reload()
    expect(page.get_by_role("button", name=re.compile("^Würfeln"))).to_be_visible()


def test_the_theme_is_the_systems_until_somebody_chooses(browser: Browser, server: Server) -> None:
    with watching(context(browser, color_scheme="dark"), server.url) as watched:
        page = watched.open("#zrps/roll")
        ground = "getComputedStyle(document.body).backgroundColor"
        dark = page.evaluate(ground)
        press(page, "Theme")
        light = page.evaluate(ground)
        assert dark != light
        page.reload()
        settled(page)
        assert page.evaluate(ground) == light


def test_nothing_moves_for_whoever_wants_no_motion(browser: Browser, server: Server) -> None:
    with watching(context(browser, reduced_motion="reduce"), server.url) as watched:
        page = watched.open("#zrps/roll")
        roll(page)
        for moving in (".die", ".stamp"):
            assert page.locator(moving).first.evaluate("one => getComputedStyle(one).animationName") == "none"


def test_on_a_phone_nothing_is_wider_than_it_and_the_button_stays_at_the_thumb(german: Watched) -> None:
    for action in ACTIONS:
        page = german.open(f"#{action}")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], action
        box = page.locator(".roll").bounding_box()
        assert box is not None
        assert PHONE["height"] - 130 < box["y"] < PHONE["height"]


def test_on_paper_stands_the_slip_alone(watched: Watched) -> None:
    page = watched.open("#zrps/roll")
    roll(page)
    page.emulate_media(media="print")
    expect(page.locator(".paper")).to_be_visible()
    for hidden in (".top", ".situation", ".chances", ".copying", ".log", "body > footer", "h1"):
        expect(page.locator(hidden)).to_be_hidden()


# Elsewhere


def copied(page: Page, what: str) -> str:
    page.locator(".copying").get_by_role("button", name=what, exact=True).click()
    expect(page.locator("body > [role=status]")).to_have_text(f"Copied: {what}")
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


@pytest.mark.parametrize("action", ["pathfinder2e/roll", "zrps/contest", "dice/roll"])
def test_a_link_reproduces_the_roll(action: str, watched: Watched) -> None:
    page = watched.open(f"#{action}")
    roll(page)
    before = (lines(page), page.locator(".sentence").inner_text(), page.locator(".seed code").inner_text())
    address = copied(page, "Link")
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(".stamp")
    again = (lines(page), page.locator(".sentence").inner_text(), page.locator(".seed code").inner_text())
    assert again == before


def test_the_request_runs_as_a_command_and_as_a_program(watched: Watched) -> None:
    page = watched.open(link("zrps/roll", {"value": 11, "modifiers": [{"value": 1, "label": "it's $luck"}]}))
    roll(page)
    sentence = page.locator(".sentence").inner_text()
    program("curl")
    for command in (
        ["bash", "-c", copied(page, "curl")],
        [node(), "--input-type=module", "-e", copied(page, "JavaScript")],
    ):
        ran = subprocess.run(command, check=True, capture_output=True, text=True)
        assert sentence in ran.stdout
    text = copied(page, "Text")
    assert sentence in text
    assert all(len(line) <= 44 for line in text.splitlines()[1:-3] if "…" not in line)


def test_the_last_rolls_stay_and_can_be_taken_along(watched: Watched) -> None:
    page = watched.open("#v20/roll")
    roll(page)
    faces = page.locator(".tray .aside").inner_text()
    page.reload()
    settled(page)
    page.get_by_role("button", name="Three Marks").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Three Marks")
    page.locator(".log li button").click()
    expect(page.locator(".tray .aside")).to_have_text(faces)
    expect(page.get_by_role("heading", level=1)).to_have_text("V20")
    with page.expect_download() as download:
        press(page, "Save as a file")
    log = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert [one["answer"]["ruleset"] for one in log["rolls"]] == ["v20"]
    press(page, "Check a roll")
    page.get_by_label("Answer, receipt or log").fill(json.dumps(log))
    press(page, "Check")
    expect(page.locator(".checker li")).to_have_attribute("data-state", "holds")
    press(page, "Close")
    press(page, "Clear")
    expect(page.locator(".log li")).to_have_count(0)


# Proof


def altered(route: Route) -> None:
    """Answer as the service does, but for one face."""
    answer = route.fetch().json()
    answer["faces"][0] = answer["faces"][0] % answer["sides"] + 1
    route.fulfill(json=answer)


def test_the_check_fails_where_one_face_is_altered(watched: Watched) -> None:
    page = watched.open("#v20/roll")
    page.route("**/v1/v20/roll?*", altered, times=1)
    page.click(".roll")
    expect(page.locator(".badge")).to_have_text("✗ does not hold")
    expect(page.locator(".proof li").nth(1)).to_have_text("These faces do not follow from the seed.")


def test_the_check_fails_where_the_verdict_is_another(watched: Watched) -> None:
    page = watched.open("#zrps/roll")

    def lie(route: Route) -> None:
        answer = route.fetch().json()
        other = next(one for one in ("success", "failure") if one != answer["outcome"])
        route.fulfill(json=answer | {"outcome": other})

    page.route("**/v1/zrps/roll?*", lie, times=1)
    page.click(".roll")
    expect(page.locator(".badge")).to_have_text("✗ does not hold")
    expect(page.locator(".proof li").last).to_have_text(
        "With these faces the service comes to another verdict."
    )


def test_nonces_and_signed_receipts_where_the_service_has_them(at_desk: BrowserContext) -> None:
    key, secret = json.dumps(PRIVATE_JWK), "a secret of at least 32 characters"
    with (
        serving(WURF_SIGNING_KEY=key, WURF_NONCE_SECRET=secret) as own,
        watching(at_desk, own.url) as watched,
    ):
        page = watched.open("#zrps/roll")
        page.get_by_role("radio", name="Nonce").check()
        page.get_by_label("Name of the roll").fill("round 3, Mara")
        roll(page)
        expect(page.locator(".paper")).to_contain_text("Seed made from the nonce")
        receipt = copied(page, "Signed receipt")
        page.get_by_role("button", name="Check a roll").click()
        for token, told in ((receipt, "The signature is valid."), (receipt[:-6] + "AAAAAA", "not valid")):
            page.get_by_label("Answer, receipt or log").fill(token)
            press(page, "Check")
            expect(page.locator(".checker li")).to_contain_text(told)
        page.get_by_label("Answer, receipt or log").fill("{")
        press(page, "Check")
        expect(page.locator(".checker li")).to_have_text("Neither JSON nor a receipt.")


def test_where_a_key_is_wanted_it_is_asked_for_and_kept_for_the_tab(at_desk: BrowserContext) -> None:
    key = "wurf_the table's key"
    with (
        serving(WURF_API_KEYS=sha256(key.encode()).hexdigest()) as own,
        watching(at_desk, own.url) as watched,
    ):
        page = watched.page
        page.goto(f"{own.url}/#zrps/roll")
        page.get_by_label("API key").fill("wurf_another")
        press(page, "Use the key")
        expect(page.get_by_role("alert")).to_be_visible()
        page.get_by_label("API key").fill(key)
        press(page, "Use the key")
        expect(page.locator(".big")).to_contain_text("Success")
        roll(page)
        expect(page.locator(".badge")).to_have_text("✓ checked")
        assert key not in page.evaluate("JSON.stringify(localStorage)")
        page.reload()
        settled(page)


def test_a_service_that_is_asked_too_much_is_asked_again_when_it_says_so(watched: Watched) -> None:
    page = watched.open("#zrps/roll")
    problem = {"code": "rate_limited", "status": 429, "detail": "Too many requests."}
    refuse = {"status": 429, "json": problem, "headers": {"Retry-After": "1"}}
    page.route("**/v1/zrps/roll/odds*", lambda route: route.fulfill(**refuse), times=1)
    number(page, "Base value").fill("15")
    expect(page.get_by_role("alert")).to_have_text("Too many requests.")
    expect(page.locator(".big")).to_have_text("60% Success")
    expect(page.get_by_role("alert")).to_be_hidden()


# A ruleset that the page has never heard of


def test_a_sixth_ruleset_appears_by_itself(german: Watched) -> None:
    page = german.page
    sixth = Sixth(page)
    german.open("#night-shift/heist")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nachtschicht")
    expect(page.locator(".big")).to_have_text("75 % Erfolg")
    assert sixth.foretold[-1] == EXAMPLE
    page.get_by_label("Nerven", exact=True).fill("5")
    page.get_by_role("radio", name="Eine Wache").check()
    page.get_by_label("Genannt").fill("Bruno")
    page.locator("summary", has_text="mehr").click()
    page.get_by_role("radio", name="Laut").check()
    page.get_by_label("Masken").uncheck()
    press(page, "Hinzufügen: Bande")
    row = page.locator("[data-key=crew] > .rows > .row").nth(1)
    row.get_by_label("Name").fill("Grace")
    row.get_by_role("button", name="Hinzufügen: Werkzeuge").click()
    row.get_by_role("spinbutton").fill("6")
    roll(page)
    assert sixth.rolled[0] == {
        "nerve": 5,
        "target": {"kind": "guard", "name": "Bruno"},
        "crew": [{"name": "Ada", "tools": [1, 2]}, {"name": "Grace", "tools": [6]}],
        "noise": "loud",
        "masks": False,
    }
    expect(page.locator(".stamp")).to_have_text("Away with it")
    assert lines(page) == ["Beute 700"]
    expect(page.locator(".paper .die")).to_have_count(1)


def test_the_page_says_everything_in_each_language_and_nothing_that_is_not_asked_for() -> None:
    folder = ROOT / "app" / "web" / "page"
    words = (folder / "words.js").read_text(encoding="utf-8")
    tables = [set(re.findall(r"^    (\w+): ", table, re.MULTILINE)) for table in words.split("\n  },\n")[:2]]
    assert tables[0] == tables[1]
    others = "".join(one.read_text(encoding="utf-8") for one in folder.glob("*.js") if one.name != "words.js")
    said = {*re.findall(r'"(\w+)"', others), "language"}
    beginnings = tuple(re.findall(r"`(\w+_)\$", others))  # such as source_ and faces_
    assert len(tables[0]) > 100
    unsaid = {word for word in tables[0] - said if not word.startswith(beginnings)}
    assert unsaid == {"seed_hint", "nonce_hint"}  # said by the name of their field


def test_no_module_of_the_page_names_a_ruleset(client: httpx.Client) -> None:
    sources = [
        client.get(f"/page/{name}.js").text
        for name in ("main", "catalog", "form", "odds", "slip", "dice", "words")
    ]
    names = {entry["id"] for entry in client.get("/v1/rulesets").json()} - {"dice"}
    assert [name for name in names for source in sources if name in source] == []
