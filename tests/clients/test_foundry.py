"""The module for Foundry VTT, in Chromium, against the real service and stand-ins of Foundry's globals."""

import json
import re
from typing import Any
from zipfile import ZipFile

import pytest
from playwright.sync_api import Page, Route, expect

from app import __version__
from app.rules.dice import SeededDice
from app.rules.registry import RULESETS
from clients.pack_foundry import files, pack
from tests.clients.world import MODULE, NOBODY, World
from tests.serving import ROOT

MANIFEST: dict[str, Any] = json.loads((MODULE / "module.json").read_text(encoding="utf-8"))
LANGUAGES = ["en", "de"]
ACTIONS = [f"{ruleset.id}/{action.name}" for ruleset in RULESETS for action in ruleset.actions]
ALL_OURS = {"d6": "wurf", "d10": "wurf", "d20": "wurf"}


def words(language: str) -> dict[str, str]:
    """List the module's words in a language by their keys."""

    def flat(table: dict[str, Any], prefix: str) -> dict[str, str]:
        texts: dict[str, str] = {}
        for name, value in table.items():
            texts |= (
                flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
            )
        return texts

    return flat(json.loads((MODULE / "lang" / f"{language}.json").read_text(encoding="utf-8")), "")


def example(world: World, action: str) -> dict[str, Any]:
    """The catalog's example of an action, without what says where its dice come from."""
    ruleset, name = action.split("/")
    request: dict[str, Any] = world.run(
        """async ([ruleset, name]) => {
          const service = await import("/modules/wurf/scripts/service.mjs");
          const card = await service.ruleset(ruleset);
          return card.actions.find((action) => action.name === name).example.request;
        }""",
        [ruleset, name],
    )
    return {field: value for field, value in request.items() if field not in {"seed", "faces", "nonce"}}


def roll(world: World, formula: str) -> dict[str, Any]:
    """Let Foundry evaluate a formula; the roll as it would be saved."""
    saved: dict[str, Any] = world.run(
        "async (formula) => JSON.parse(JSON.stringify(await new Roll(formula).evaluate()))", formula
    )
    return saved


def open_dialog(world: World, action: str) -> Page:
    """Open the dialog with an action, as a player does it in the chat."""
    assert world.run("(action) => Hooks.call('chatMessage', {}, `/wurf ${action}`)", action) is False
    expect(world.page.locator(".wurf-action")).to_have_value(action)
    return world.page


def press_roll(world: World) -> dict[str, Any]:
    """Press the button; the message that comes of it."""
    before = len(world.messages)
    world.page.locator(".wurf-roll").click()
    world.page.wait_for_function("(before) => stand_ins.seen.messages.length > before", arg=before)
    return world.messages[-1]


def fill(page: Page, label: str, value: str) -> None:
    page.get_by_label(label, exact=True).fill(value)


# The package


def test_the_manifest_names_files_that_are_there() -> None:
    named = {
        *MANIFEST["esmodules"],
        *MANIFEST["styles"],
        *(one["path"] for one in MANIFEST["languages"]),
        MANIFEST["readme"],
        MANIFEST["license"],
        "module.json",
    }
    packed = {file.as_posix() for file in files()}
    assert named <= packed
    # What the manifest does not name is imported by what it names.
    imported = {name for file in (MODULE / "scripts").iterdir() for name in imports(file.read_text("utf-8"))}
    assert packed - named == {f"scripts/{name}" for name in imported}


def imports(script: str) -> set[str]:
    return set(re.findall(r'from "\./([\w.]+)"', script))


def test_the_manifest_says_what_the_project_says() -> None:
    assert MANIFEST["version"] == __version__
    assert MANIFEST["id"] == "wurf"
    assert {one["lang"] for one in MANIFEST["languages"]} == set(LANGUAGES)
    assert (MODULE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_the_manifest_claims_no_version_in_which_it_was_not_tried() -> None:
    assert MANIFEST["compatibility"] == {"minimum": "12", "maximum": "14"}


def test_the_archive_is_the_same_whenever_it_is_made(tmp_path: Any) -> None:
    first, second = tmp_path / "first.zip", tmp_path / "folder" / "second.zip"
    pack(first)
    pack(second)
    assert first.read_bytes() == second.read_bytes()
    with ZipFile(first) as archive:
        assert archive.namelist() == [file.as_posix() for file in files()]
        assert json.loads(archive.read("module.json")) == MANIFEST
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_every_word_exists_in_each_language_with_the_same_gaps() -> None:
    english, german = map(words, LANGUAGES)
    assert english.keys() == german.keys()
    for key, text in english.items():
        assert text
        assert german[key]
        assert sorted(re.findall(r"\{\w+\}", text)) == sorted(re.findall(r"\{\w+\}", german[key])), key


def test_every_word_that_the_module_says_exists() -> None:
    scripts = "".join(file.read_text("utf-8") for file in sorted((MODULE / "scripts").iterdir()))
    said = set(re.findall(r'say\("([\w.]+)"', scripts)) | set(re.findall(r'warn\("(\w+)"', scripts))
    said |= {
        key.removeprefix("WURF.") for key in re.findall(r'"(WURF\.[\w.]+)"', scripts) if not key.endswith(".")
    }
    assert len(said) > 10
    assert {f"WURF.{key}" for key in said} <= words("en").keys()


def test_the_module_never_reads_text_as_html() -> None:
    scripts = "".join(file.read_text("utf-8") for file in sorted((MODULE / "scripts").iterdir()))
    for way in ("innerHTML", "insertAdjacentHTML", "outerHTML =", "document.write", "eval(", "new Function"):
        assert way not in scripts


# The dialog


@pytest.mark.parametrize("generation", [12, 13, 14])
def test_a_tool_beside_the_scene_opens_the_dialog_with_every_action(world: World, generation: int) -> None:
    world.start(generation)
    world.run(
        """() => {
          const controls = stand_ins.sceneControls();
          const tools = Array.isArray(controls) ? controls[0].tools : Object.values(controls.tokens.tools);
          const tool = tools.find(({ name }) => name === "wurf");
          (tool.onChange ?? tool.onClick)();
        }"""
    )
    options = world.page.locator(".wurf-action option")
    expect(options).to_have_count(len(ACTIONS))
    assert [one.get_attribute("value") for one in options.all()] == ACTIONS


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_ruleset_is_rolled_from_the_form_that_its_description_makes(
    world: World, language: str
) -> None:
    world.start(lang=language)
    for action in ACTIONS:
        page = open_dialog(world, action)
        asked = example(world, action)
        read = world.run(
            """async ([action, request]) => {
              const { requestForm } = await import("/modules/wurf/scripts/form.mjs");
              const service = await import("/modules/wurf/scripts/service.mjs");
              const [ruleset, name] = action.split("/");
              const { actions } = await service.ruleset(ruleset);
              const schema = actions.find((one) => one.name === name).request_schema.split("/").at(-1);
              const words = { label: String, word: String, say: String };
              const form = requestForm(schema, [], { schemas: await service.schemas(), ...words });
              form.fill(request);
              const read = form.read();
              form.fill(undefined);
              return [read, form.read() ?? {}];
            }""",
            [action, asked],
        )
        assert read[0] == asked, action
        assert all(isinstance(value, list) for value in read[1].values()), action
        expect(page.locator(".wurf-form")).to_be_visible()
        answer = world.run(
            "([path, request]) => game.modules.get('wurf').api.roll(path, request)", [action, asked]
        )
        message = world.messages[-1]
        assert answer["text"] in text_of(world, message)
        assert message["flags"]["wurf"]["faces"] == answer.get("faces", [])
        assert faces_of(message) == answer.get("faces", [])
        assert message["speaker"]["alias"] == "Mara"
        if language == "de":
            assert raw_words(answer) & set(cells_of(world, message)) == set(), action


def raw_words(part: Any) -> set[str]:
    """The words that programs know the parts of an answer by, spelled as what has no name is spelled."""
    if isinstance(part, dict):
        names = {name.replace("_", " ") for name in part}
        return names.union(*map(raw_words, part.values()))
    if isinstance(part, list):
        return set().union(*map(raw_words, part))
    return {part.replace("_", " ")} if isinstance(part, str) and re.fullmatch("[a-z_]+", part) else set()


def cells_of(world: World, message: dict[str, Any]) -> list[str]:
    """What stands in the lines of a receipt."""
    cells: list[str] = world.run(
        """(content) => {
          const place = document.createElement("div");
          place.innerHTML = content;
          return [...place.querySelectorAll("th, td")].map((cell) => cell.textContent);
        }""",
        message["content"],
    )
    return cells


def text_of(world: World, message: dict[str, Any]) -> str:
    """What a person reads of a message."""
    text: str = world.run(
        """(content) => {
          const place = document.createElement("div");
          place.innerHTML = content;
          return place.textContent;
        }""",
        message["content"],
    )
    return text


def faces_of(message: dict[str, Any]) -> list[int]:
    """The faces that 3D dice would show: those of the dice terms, in their order."""
    (rolled,) = message["rolls"]
    dice = [term for term in rolled["terms"] if term["class"] == "Die"]
    assert rolled["evaluated"]
    assert all(term["evaluated"] for term in rolled["terms"])
    return [result["result"] for term in dice for result in term["results"] if result["active"]]


def test_a_filled_form_becomes_a_receipt_in_the_chat(world: World) -> None:
    page = open_dialog(world.start(lang="de"), "zrps/roll")
    fill(page, "Basiswert", "11")
    page.get_by_role("button", name="Hinzufügen: Modifikatoren").click()
    fill(page, "Modifikator", "-3")
    fill(page, "Grund", "Sand im Auge")
    page.locator("summary", has_text="Würfel").click()
    fill(page, "Würfel auf dem Tisch", "3")
    message = press_roll(world)
    assert faces_of(message) == [3]
    assert message["rolls"][0]["formula"] == "1d20"
    assert message["flags"]["wurf"]["source"] == "given_faces"
    shown = text_of(world, message)
    for part in ("ZRPS", "Testwurf", "Mara", "Effektiver Wert8", "Abstand5", "Erfolg", "anderswo geworfen"):
        assert part in shown
    assert "Wurf 3 gegen effektiven Wert 8 (11 − 3 Sand im Auge): Erfolg" in shown


def test_the_next_roll_begins_where_the_last_one_was_and_falls_anew(world: World) -> None:
    page = open_dialog(world.start(), "v20/roll")
    fill(page, "Attribute", "9")
    first, second = press_roll(world), press_roll(world)
    seeds = {message["flags"]["wurf"]["seed"] for message in (first, second)}
    assert len(seeds) == 2
    open_dialog(world, "zrps/roll")
    open_dialog(world, "v20/roll")
    assert page.get_by_label("Attribute", exact=True).input_value() == "9"
    assert world.page.locator("#wurf-dialog").count() == 1


def test_the_faces_in_the_chat_follow_from_the_seed_in_the_chat(world: World) -> None:
    open_dialog(world.start(), "v20/roll")
    fill(world.page, "Attribute", "12")
    message = press_roll(world)
    seed = message["flags"]["wurf"]["seed"]
    assert faces_of(message) == SeededDice(seed, "v20", "roll").throw(12, 10)
    assert seed in text_of(world, message)


def test_a_refusal_stands_at_its_field_and_nothing_is_posted(world: World) -> None:
    page = open_dialog(world.start(lang="de"), "zrps/contest")
    page.get_by_label("Basiswerte").first.fill("8, zwei")
    page.locator(".wurf-roll").click()
    wrong = page.locator(".wurf-field", has=page.locator(".wurf-error"))
    expect(wrong).to_have_count(2)
    expect(wrong.first).to_contain_text("ganze Zahl")
    expect(wrong.last).to_contain_text("nötig")
    expect(page.get_by_label("Basiswerte").first).to_be_focused()
    assert page.get_by_label("Basiswerte").first.get_attribute("aria-invalid") == "true"
    assert world.messages == []
    page.get_by_label("Basiswerte").first.fill("8 13")
    page.get_by_label("Basiswerte").last.fill("10")
    press_roll(world)
    expect(page.locator(".wurf-field .wurf-error")).to_have_count(0)


def test_a_refusal_in_a_folded_part_opens_it(world: World) -> None:
    page = open_dialog(world.start(), "v20/roll")
    fill(page, "Attribute", "3")
    page.locator("summary", has_text="Dice").click()
    fill(page, "Dice on the table", "3")
    page.locator("summary", has_text="Dice").click()
    page.locator(".wurf-roll").click()
    expect(page.get_by_label("Dice on the table")).to_be_focused()
    assert world.messages == []


def test_what_players_write_is_never_html(world: World) -> None:
    page = open_dialog(world.start(), "zrps/roll")
    attack = '<img src=x onerror="document.title=1"><script>document.title = 2</script>'
    fill(page, "Base value", "11")
    page.get_by_role("button", name="Add: Modifiers").click()
    fill(page, "Modifier", "1")
    fill(page, "Reason", attack)
    message = press_roll(world)
    assert "<img" not in message["content"]
    assert "<script" not in message["content"]
    assert attack in text_of(world, message)
    contest = {
        "contestants": [{"name": attack, "attribute": 3}, {"attribute": 3}],
        "faces": [1, 2],
        "ref": attack,
    }
    world.run("(request) => game.modules.get('wurf').api.roll('scorekeeper/contest', request)", contest)
    assert "<img" not in world.messages[-1]["content"]
    assert world.page.title() == "A world"


@pytest.mark.parametrize(
    ("generation", "mode", "whisper"), [(12, "gmroll", ["gm"]), (13, "publicroll", []), (14, "gm", ["gm"])]
)
def test_a_private_roll_stays_private_in_each_version(
    world: World, generation: int, mode: str, whisper: list[str]
) -> None:
    world.start(generation, mode=mode)
    world.run("() => game.modules.get('wurf').api.roll('zrps/roll', { value: 11 })")
    assert world.messages[-1]["whisper"] == whisper


def test_what_needs_no_dice_stands_in_the_chat_without_dice(world: World) -> None:
    world.start()
    world.run(
        "() => game.modules.get('wurf').api.roll('pathfinder2e/amount', { value: 7, multipliers: [2] })"
    )
    (rolled,) = world.messages[-1]["rolls"]
    assert (rolled["formula"], rolled["total"]) == ("14", 14)


def test_a_language_that_was_set_goes_before_foundrys(world: World) -> None:
    open_dialog(world.start(lang="en", language="de"), "zrps/roll")
    fill(world.page, "Basiswert", "11")
    assert "gegen effektiven Wert 11" in text_of(world, press_roll(world))


def test_a_language_that_nobody_has_is_english(world: World) -> None:
    open_dialog(world.start(lang="fr"), "zrps/roll")
    fill(world.page, "Base value", "11")
    assert "effective value 11" in text_of(world, press_roll(world))


def test_a_key_goes_along_and_stays_in_the_browser(world: World) -> None:
    world.start(apiKey="a key of mine")
    world.run("() => game.modules.get('wurf').api.roll('zrps/roll', { value: 11 })")
    sent = {
        request.all_headers().get("authorization") for request in world.asked if request.method != "OPTIONS"
    }
    assert sent == {"Bearer a key of mine"}
    scopes = world.run(
        "() => Object.fromEntries([...game.settings.registered].map(([key, { scope }]) => [key, scope]))"
    )
    assert (scopes["wurf.apiKey"], scopes["wurf.address"]) == ("client", "world")


def test_without_a_key_no_preflight_is_asked(world: World) -> None:
    world.start()
    world.run("() => game.modules.get('wurf').api.roll('zrps/roll', { value: 11 })")
    assert {request.method for request in world.asked} == {"GET", "POST"}
    assert all("authorization" not in request.all_headers() for request in world.asked)


def test_a_service_that_is_away_is_said_and_asked_again(world: World, server: Any) -> None:
    world.start(address=NOBODY)
    world.run("() => Hooks.call('chatMessage', {}, '/wurf')")
    expect(world.page.get_by_role("alert")).to_contain_text("The Wurf service is away")
    world.run("(address) => game.settings.set('wurf', 'address', address)", server.url + "/")
    world.page.get_by_role("button", name="Try again").click()
    expect(world.page.locator(".wurf-action option")).to_have_count(len(ACTIONS))
    world.run("(address) => game.settings.set('wurf', 'address', address)", NOBODY)
    world.page.locator(".wurf-roll").click()
    expect(world.page.locator(".wurf-error", has_text="Nothing was rolled")).to_be_visible()
    assert [kind for kind, _ in world.notifications] == ["error"]
    assert world.messages == []


SIXTH = {
    "id": "sixth",
    "rules_version": 1,
    "name": {"en": "Sixth", "de": "Sechstes"},
    "values": {"en": {"loud": "Loud", "quiet": "Quiet"}, "de": {}},
    "actions": [
        {
            "name": "shout",
            "label": {"en": "Shout", "de": "Ruf"},
            "outcomes": [{"outcome": "heard", "label": {"en": "Heard", "de": "Gehört"}}],
            "fields": [
                {"field": "voice", "label": {"en": "Voice", "de": "Stimme"}, "place": 0},
                {"field": "echoes", "label": {"en": "Echoes", "de": "Echos"}, "place": None},
                {"field": "echoes.delay", "label": {"en": "Delay", "de": "Verzug"}, "place": None},
            ],
            "answer": [{"field": "loudness", "label": {"en": "Loudness", "de": "Lautstärke"}}],
            "request_schema": "/openapi.json#/components/schemas/Shout",
            "example": {"request": {"voice": "loud"}},
        }
    ],
}
SHOUT = {
    "type": "object",
    "properties": {
        "faces": {"type": "array"},
        "voice": {"enum": ["loud", "quiet"]},
        "echoes": {"type": "array", "items": {"$ref": "#/components/schemas/Echo"}},
    },
}
ECHO = {"type": "object", "properties": {"delay": {"type": "integer"}}, "required": ["delay"]}
HEARD = {
    "ruleset": "sixth",
    "action": "shout",
    "outcome": "heard",
    "success": True,
    "sides": 12,
    "faces": [7, 12],
    "seed": "s",
    "source": "client_seed",
    "label": "Heard",
    "text": "Everybody looks up.",
    "loudness": 12,
    "walls": [{"label": "Tower", "value": -2, "applied": True}],
}


def test_a_ruleset_that_nobody_knows_yet_has_its_form_and_its_receipt(world: World) -> None:
    asked: list[Any] = []

    def answer(route: Route) -> None:
        path = route.request.url.split("?")[0]
        if path.endswith("/shout"):
            asked.append(route.request.post_data_json)
        contents: dict[str, Any] = {
            "/v1/rulesets": [{"id": "sixth"}],
            "/v1/rulesets/sixth": SIXTH,
            "/openapi.json": {"components": {"schemas": {"Shout": SHOUT, "Echo": ECHO}}},
            "/v1/sixth/shout": HEARD,
        }
        found = next(one for end, one in contents.items() if path.endswith(end))
        route.fulfill(json=found, headers={"Access-Control-Allow-Origin": "*"})

    world.start()
    world.page.route(re.compile(r"/(v1|openapi\.json)"), answer)
    page = open_dialog(world, "sixth/shout")
    page.get_by_label("Voice").select_option("Loud")
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name="Add: Echoes").click()
    fill(page, "Delay", "3")
    message = press_roll(world)
    assert {"voice": "loud", "echoes": [{"delay": 3}], "ref": "Mara"}.items() <= asked[0].items()
    assert faces_of(message) == [7, 12]
    assert message["rolls"][0]["formula"] == "2d12"
    for part in ("Sixth Shout", "Loudness12", "Tower−2", "Heard", "Everybody looks up."):
        assert part in text_of(world, message)


# Foundry's own rolls


def seeds_of(term: dict[str, Any]) -> list[str]:
    seeds: list[str] = term["options"]["wurf"]["seeds"]
    return seeds


def plain_dice(seed: str, sides: int, count: int) -> list[int]:
    """Derive faces again."""
    return SeededDice(seed, "dice", "roll").throw(count, sides)


def test_the_dice_of_a_whole_roll_come_in_one_call_and_can_be_derived_again(world: World) -> None:
    world.start(core__diceConfiguration=ALL_OURS)
    rolled = roll(world, "2d20kh + 5d6 - 3")
    (request,) = world.asked
    assert request.url.partition("?")[0].endswith("/v1/batch")
    highest, sixes = (term for term in rolled["terms"] if term["class"] == "Die")
    for term, sides, count in ((highest, 20, 2), (sixes, 6, 5)):
        (seed,) = seeds_of(term)
        assert [result["result"] for result in term["results"]] == plain_dice(seed, sides, count)
    kept = max(result["result"] for result in highest["results"])
    assert rolled["total"] == kept + sum(result["result"] for result in sixes["results"]) - 3
    assert world.notifications == []


def test_dice_that_explode_are_thrown_by_the_service_too(world: World) -> None:
    world.start(core__diceConfiguration=ALL_OURS)
    rolled = roll(world, "40d6x")
    (term,) = rolled["terms"]
    exploded = sum(result["result"] == 6 for result in term["results"])
    assert exploded > 0
    assert len(term["results"]) == 40 + exploded
    pool, *single = seeds_of(term)
    faces = [*plain_dice(pool, 6, 40), *(face for seed in single for face in plain_dice(seed, 6, 1))]
    assert [result["result"] for result in term["results"]] == faces
    assert len(world.asked) == 1 + exploded


def test_dice_that_a_player_left_to_foundry_stay_there(world: World) -> None:
    world.start(core__diceConfiguration={"d6": "wurf"})
    rolled = roll(world, "3d8 + 2d6")
    eights, sixes = (term for term in rolled["terms"] if term["class"] == "Die")
    assert eights["options"] == {}
    assert len(seeds_of(sixes)) == 1
    assert len(world.asked) == 1


def test_every_die_may_come_from_the_service_coins_and_fate_dice_included(world: World) -> None:
    world.start(everyDie=True)
    assert world.run("() => CONFIG.Dice.fulfillment.defaultMethod") == "wurf"
    rolled = roll(world, "60df + 60dc + 60d7")
    fate, coins, sevens = (term for term in rolled["terms"] if "results" in term)
    for term, sides, values in ((fate, 3, [1, 0, -1]), (coins, 2, [1, 0]), (sevens, 7, range(1, 8))):
        results = [result["result"] for result in term["results"]]
        assert set(results) == set(values)
        faces = plain_dice(seeds_of(term)[0], sides, 60)
        assert len(set(zip(faces, results, strict=True))) == sides
    assert len(world.asked) == 1


def test_foundry_throws_by_itself_and_says_so_while_the_service_is_away(world: World, server: Any) -> None:
    world.start(address=NOBODY, core__diceConfiguration=ALL_OURS)
    rolled = roll(world, "10d6 + 1d20")
    assert sum(len(term["results"]) for term in rolled["terms"] if "results" in term) == 11
    ((kind, said),) = world.notifications
    assert kind == "warn"
    assert "Foundry throws them itself" in said
    assert NOBODY in said
    world.run("(address) => game.settings.set('wurf', 'address', address)", server.url)
    assert seeds_of(roll(world, "1d20")["terms"][0])
    assert len(world.notifications) == 1


def test_foundry_throws_what_the_service_has_no_dice_for_and_says_so(world: World) -> None:
    world.start(lang="de", everyDie=True)
    rolled = roll(world, "2d1000 + 1d6")
    thousands, six = (term for term in rolled["terms"] if term["class"] == "Die")
    assert len(thousands["results"]) == 2
    assert seeds_of(six)
    ((kind, said),) = world.notifications
    assert kind == "warn"
    assert "2 bis 256 Seiten" in said


@pytest.mark.parametrize("status", [429, 503])
def test_a_service_that_has_no_time_lets_foundry_throw_and_says_so(world: World, status: int) -> None:
    def busy(route: Route) -> None:
        document = {"code": "overloaded", "detail": "Too much at once.", "status": status}
        route.fulfill(status=status, json=document, headers={"Access-Control-Allow-Origin": "*"})

    world.start(core__diceConfiguration=ALL_OURS)
    world.page.route("**/v1/batch**", busy)
    assert len(roll(world, "3d6")["terms"][0]["results"]) == 3
    assert "Too much at once." in world.notifications[0][1]


def test_the_method_is_offered_as_foundry_wants_it(world: World) -> None:
    world.start()
    method = world.run("() => CONFIG.Dice.fulfillment.methods.wurf")
    assert method["interactive"] is False
    assert method["label"] in words("en")
    assert method["icon"].startswith("<i ")
    assert world.run("() => typeof CONFIG.Dice.fulfillment.methods.wurf.handler") == "function"
    assert world.run("() => CONFIG.Dice.fulfillment.defaultMethod") == ""


def test_a_macro_learns_of_a_refusal(world: World) -> None:
    world.start()
    said = world.run(
        "() => game.modules.get('wurf').api.roll('zrps/roll', {}).catch((error) => error.document.code)"
    )
    assert said == "validation"
    assert world.messages == []
    unknown = world.run(
        "() => game.modules.get('wurf').api.roll('zrps/jump', {}).catch(({ message }) => message)"
    )
    assert unknown == "The Wurf service knows no zrps/jump."


README = (MODULE / "README.md").read_text("utf-8")


def test_the_macro_of_the_readme_runs(world: World) -> None:
    (macro,) = re.findall(r"^```js\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    world.start()
    world.run("async () => {" + macro.replace("if (answer.success)", "") + "}")
    ((kind, said),) = world.notifications
    assert kind == "info"
    assert said in text_of(world, world.messages[0])


def test_the_readme_knows_every_setting(world: World) -> None:
    world.start()
    registered = world.run(
        "() => [...game.settings.registered.keys()].filter((key) => key.startsWith('wurf.'))"
    )
    english = words("en")
    named = re.findall(r"^\| ([^|`]+?) \| (?:the world|each player)", README, re.MULTILINE)
    names = [english[f"WURF.Setting.{key.removeprefix('wurf.')}.Name"] for key in registered]
    assert sorted(named) == sorted(names)


def test_other_words_in_the_chat_are_left_to_others(world: World) -> None:
    world.start()
    for said in ("hello", "/wurfel", "/roll 1d20"):
        assert world.run("(said) => Hooks.call('chatMessage', {}, said)", said) is True
    assert world.page.locator("#wurf-dialog").count() == 0
