"""The bounds of every number, text and list of a request, as the rules pages give them."""

import json
from copy import deepcopy
from typing import Any, Final

import pytest
from pydantic import ValidationError

from app.rules.registry import RULESETS

REQUESTS: Final = {
    f"{ruleset.id}/{action.name}": action.request for ruleset in RULESETS for action in ruleset.actions
}
SIDE: Final = {"attribute": 1}
VALID: Final[dict[str, dict[str, Any]]] = {
    "pathfinder2e/roll": {
        "proficiency": {"rank": "expert", "level": 1},
        "modifiers": [{"type": "item", "value": 1}],
        "dc_modifiers": [{"type": "item", "value": 1}],
        "adjustments": [{"steps": 1}],
    },
    "pathfinder2e/roll against": {
        "against": {
            "proficiency": {"rank": "expert", "level": 1},
            "modifiers": [{"type": "item", "value": 1}],
        }
    },
    "pathfinder2e/roll to": {"adjustments": [{"to": "success"}]},
    "pathfinder2e/amount": {"value": 1},
    "v20/roll": {"specialty": {"trait": 4}},
    "scorekeeper/roll": {"attribute": 1, "modifiers": [{"value": 1}], "helpers": [{}]},
    "scorekeeper/contest": {"contestants": [{**SIDE, "modifiers": [{"value": 1}], "helpers": [{}]}, SIDE]},
    "scorekeeper/extended": {"attribute": 1, "modifiers": [{"value": 1}], "target_effect": 1},
    "zrps/roll": {"value": 1, "modifiers": [{"value": 1}]},
    "zrps/contest": {"contestants": [{"values": [1], "modifiers": [{"value": 1}]}, {"values": [1]}]},
    "three-marks/roll": {"advantage": 0},
    "dice/roll": {"sides": 256, "count": 1},
}
"""A valid request for each kind of field; what follows the action only tells the requests apart."""
FACES: Final = {"pathfinder2e": 20, "scorekeeper": 20, "zrps": 20, "v20": 10, "three-marks": 6, "dice": 256}
VALUES: Final = (
    ("pathfinder2e/roll", "attribute_modifier"),
    ("pathfinder2e/roll", "modifiers/0/value"),
    ("pathfinder2e/roll", "modifiers/0/effect_level"),
    ("pathfinder2e/roll", "dc"),
    ("pathfinder2e/roll", "dc_modifiers/0/value"),
    ("pathfinder2e/roll against", "against/attribute_modifier"),
    ("pathfinder2e/roll against", "against/modifiers/0/value"),
    ("v20/roll", "specialty/trait"),
    ("scorekeeper/roll", "attribute"),
    ("scorekeeper/roll", "modifiers/0/value"),
    ("zrps/roll", "value"),
    ("zrps/roll", "modifiers/0/value"),
    ("zrps/contest", "contestants/0/values/0"),
    ("zrps/contest", "contestants/0/modifiers/0/value"),
    ("three-marks/roll", "advantage"),
    ("three-marks/roll", "accuracy"),
    ("three-marks/roll", "defense_value"),
)
"""The integers that describe characters and situations."""
NUMBERS: Final = (
    *((kind, path, -1000, 1000) for kind, path in VALUES),
    ("pathfinder2e/roll", "proficiency/level", -1, 30),
    ("pathfinder2e/roll against", "against/proficiency/level", -1, 30),
    ("pathfinder2e/roll", "adjustments/0/steps", -2, 2),
    ("pathfinder2e/amount", "value", 0, 1_000_000),
    ("v20/roll", "pool", 0, 100),
    ("v20/roll", "attribute", 0, 50),
    ("v20/roll", "ability", 0, 50),
    ("v20/roll", "difficulty", 2, 10),
    ("v20/roll", "required", 1, 100),
    ("v20/roll", "willpower", 0, 50),
    *((f"scorekeeper/{action}", "skill", 0, 1000) for action in ("roll", "extended")),
    *((f"scorekeeper/{action}", "handicap", 0, 10) for action in ("roll", "extended")),
    ("scorekeeper/roll", "helpers/0/skill", 0, 1000),
    ("scorekeeper/contest", "contestants/1/skill", 0, 1000),
    ("scorekeeper/contest", "contestants/1/handicap", 0, 10),
    ("scorekeeper/extended", "target_effect", 1, 10_000),
    ("scorekeeper/extended", "accumulated", 0, 10_000),
    ("scorekeeper/extended", "max_rolls", 1, 100),
    ("three-marks/roll", "damage", 1, 1000),
    ("three-marks/roll", "scars", 1, 100),
    ("three-marks/roll", "armor", 0, 1000),
    ("three-marks/roll", "life", 1, 100_000),
    ("dice/roll", "sides", 2, 256),
    ("dice/roll", "count", 1, 1000),
)
LISTS: Final[tuple[tuple[str, str, Any, int, int], ...]] = (
    ("pathfinder2e/roll", "modifiers", {"type": "item", "value": 1}, 0, 50),
    ("pathfinder2e/roll", "dc_modifiers", {"type": "item", "value": 1}, 0, 50),
    ("pathfinder2e/roll against", "against/modifiers", {"type": "item", "value": 1}, 0, 50),
    ("pathfinder2e/roll", "adjustments", {"steps": 1}, 0, 10),
    ("pathfinder2e/roll", "adjustments/0/on", "success", 1, 4),
    ("pathfinder2e/amount", "multipliers", 2, 0, 10),
    ("scorekeeper/roll", "modifiers", {"value": 1}, 0, 50),
    ("scorekeeper/roll", "helpers", {}, 0, 2),
    ("scorekeeper/contest", "contestants/0/helpers", {}, 0, 2),
    ("scorekeeper/contest", "contestants", SIDE, 2, 2),
    ("zrps/roll", "modifiers", {"value": 1}, 0, 50),
    ("zrps/contest", "contestants", {"values": [1]}, 2, 2),
    ("zrps/contest", "contestants/0/values", 1, 1, 20),
)
LABELS: Final = (
    *((kind, "ref") for kind in VALID),
    ("pathfinder2e/roll", "modifiers/0/label"),
    ("pathfinder2e/roll", "modifiers/0/effect"),
    ("pathfinder2e/roll", "adjustments/0/label"),
    ("scorekeeper/roll", "modifiers/0/label"),
    ("scorekeeper/roll", "helpers/0/label"),
    ("scorekeeper/contest", "contestants/0/name"),
    ("zrps/roll", "modifiers/0/label"),
    ("zrps/contest", "contestants/0/name"),
)


def accepts(kind: str, path: str, value: Any) -> bool:
    """Tell whether a request with a value in it is valid. Whatever is wrong must be that value."""
    request = deepcopy(VALID[kind])
    *parts, last = [int(part) if part.isdecimal() else part for part in path.split("/")]
    holder: Any = request
    for part in parts:
        holder = holder[part]
    holder[last] = value
    try:
        REQUESTS[kind.partition(" ")[0]].model_validate_json(json.dumps(request))
    except ValidationError as error:
        places = {"/".join(map(str, one["loc"])) for one in error.errors()}
        # A list with a wrong item may be reported as too short as well.
        assert all(place.startswith(path) or path.startswith(place) for place in places), places
        return False
    return True


@pytest.mark.parametrize("kind", VALID)
def test_the_requests_to_start_from_are_valid(kind: str) -> None:
    assert accepts(kind, "ref", "mine")


@pytest.mark.parametrize(("kind", "path", "least", "most"), NUMBERS)
def test_a_number_goes_up_to_its_bounds_and_no_further(kind: str, path: str, least: int, most: int) -> None:
    tried = (least - 1, least, most, most + 1)
    assert [accepts(kind, path, number) for number in tried] == [False, True, True, False]


@pytest.mark.parametrize(("kind", "path", "item", "least", "most"), LISTS)
def test_a_list_is_as_long_as_its_bounds_and_no_longer(
    kind: str, path: str, item: Any, least: int, most: int
) -> None:
    assert [accepts(kind, path, [item] * length) for length in (least, most, most + 1)] == [True, True, False]
    assert not least or not accepts(kind, path, [item] * (least - 1))


@pytest.mark.parametrize(("kind", "path"), LABELS)
def test_a_label_has_up_to_100_characters(kind: str, path: str) -> None:
    assert [accepts(kind, path, "ä" * length) for length in (0, 100, 101)] == [True, True, False]


@pytest.mark.parametrize("kind", [kind for kind in VALID if not kind.endswith("amount")])
def test_a_face_is_one_of_the_die(kind: str) -> None:
    sides = FACES[kind.partition("/")[0]]
    tried = (0, 1, sides, sides + 1)
    assert [accepts(kind, "faces", [face]) for face in tried] == [False, True, True, False]


@pytest.mark.parametrize("kind", [kind for kind in VALID if not kind.endswith("amount")])
@pytest.mark.parametrize("origin", ["seed", "nonce"])
def test_a_seed_has_1_to_128_characters(kind: str, origin: str) -> None:
    assert [accepts(kind, origin, "s" * length) for length in (0, 1, 128, 129)] == [False, True, True, False]


def test_a_multiplier_is_2_to_100() -> None:
    kind = "pathfinder2e/amount"
    tried = (1, 2, 100, 101)
    assert [accepts(kind, "multipliers", [number]) for number in tried] == [False, True, True, False]
