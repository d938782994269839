"""Requests of every kind for each action that has odds, all of them valid and none refused."""

import json
from typing import Any, Final

from hypothesis import strategies as st

from app.rules.registry import RULESETS
from app.rules.ruleset import Action, Ruleset

Key = tuple[str, str]
Fields = dict[str, Any]
Made = st.SearchStrategy[Fields]

ACTIONS: Final[dict[Key, tuple[Ruleset, Action[Any, Any, Any]]]] = {
    (ruleset.id, action.name): (ruleset, action)
    for ruleset in RULESETS
    for action in ruleset.actions
    if action.odds is not None
}
"""Every action that has odds."""

VALUES: Final = st.integers(-15, 35) | st.integers(-1000, 1000)
FEW: Final = 3
LABELS: Final = st.none() | st.text(max_size=5)
MODIFIERS: Final = st.lists(
    st.fixed_dictionaries({"value": st.integers(-9, 9)}, optional={"label": LABELS}), max_size=FEW
)


def weighed(key: Key, request: Fields) -> Any:
    """Weigh a request as it comes over the wire."""
    action = ACTIONS[key][1]
    return action.weigh(action.request.model_validate_json(json.dumps(request)))


def merged(*parts: Made) -> Made:
    """Put the fields of several parts into one request."""
    return st.tuples(*parts).map(lambda made: {name: value for part in made for name, value in part.items()})


def _pathfinder() -> Made:
    modifiers = st.lists(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(["item", "circumstance", "status", "untyped"]),
                "value": st.integers(-9, 9),
            },
            optional={
                "effect": st.sampled_from(["bless", "bane"]),
                "effect_level": st.integers(0, 2),
                "enabled": st.booleans(),
            },
        ),
        max_size=FEW,
    )
    ranks = st.sampled_from(["untrained", "trained", "expert", "master", "legendary"])
    statistic: Fields = {
        "attribute_modifier": VALUES,
        "proficiency": st.none() | st.fixed_dictionaries({"rank": ranks, "level": st.integers(-1, 30)}),
        "modifiers": modifiers,
    }
    kinds = st.sampled_from(["attack", "skill", "save", "perception", "other"])
    modified = st.fixed_dictionaries({"check": kinds, **statistic})
    flat = st.just({"check": "flat"})
    difficulty: Made = (
        st.just({})
        | st.fixed_dictionaries({"dc": VALUES, "dc_modifiers": modifiers})
        | st.fixed_dictionaries({"against": st.fixed_dictionaries({}, optional=statistic)})
    )
    degrees = st.sampled_from(["critical_success", "success", "failure", "critical_failure"])
    change = st.fixed_dictionaries({"steps": st.sampled_from([-2, -1, 1, 2])}) | st.fixed_dictionaries(
        {"to": degrees}
    )
    on = st.fixed_dictionaries({}, optional={"on": st.lists(degrees, min_size=1, max_size=FEW)})
    flags = st.booleans()
    rest = st.fixed_dictionaries(
        {},
        optional={
            "fortune": flags,
            "misfortune": flags,
            "adjustments": st.lists(merged(change, on), max_size=FEW),
            "critical_success_effect": flags,
            "critical_failure_effect": flags,
        },
    )
    return merged(modified | flat, difficulty, rest)


def _v20() -> Made:
    pools = st.integers(0, 12) | st.integers(0, 100)
    untrained = st.fixed_dictionaries({}, optional={"untrained": st.sampled_from(["skill", "talent"])})
    pool = merged(st.fixed_dictionaries({"pool": pools}), untrained)
    halves = st.integers(0, 6) | st.integers(0, 50)
    attribute = merged(st.fixed_dictionaries({"attribute": halves}), untrained) | st.fixed_dictionaries(
        {"attribute": halves, "ability": halves}
    )
    specialty = st.fixed_dictionaries(
        {"trait": st.sampled_from([4, 5])},
        optional={
            "tens": st.sampled_from(["double", "reroll"]),
            "new_ones": st.sampled_from(["cancel", "ignore"]),
        },
    )
    rest = st.fixed_dictionaries(
        {},
        optional={
            "difficulty": st.integers(2, 10),
            "required": st.integers(1, 5) | st.integers(1, 100),
            "specialty": specialty,
            "mode": st.sampled_from(["strict", "casual"]),
        },
    )
    willpower = st.fixed_dictionaries(
        {"spend_willpower": st.just(value=True)}, optional={"willpower": st.integers(1, 50)}
    ) | st.fixed_dictionaries({}, optional={"willpower_pool": st.booleans(), "willpower": st.integers(0, 50)})
    return merged(pool | attribute, rest, willpower)


_SCOREKEEPER_PLAIN: Final = st.fixed_dictionaries(
    {"attribute": VALUES}, optional={"skill": st.integers(0, 9), "modifiers": MODIFIERS}
)
_SCOREKEEPER_ACADEMIC: Final = st.fixed_dictionaries(
    {"attribute": VALUES, "skill": st.integers(1, 9), "academic": st.just(value=True)}
)
_SCOREKEEPER_ATTEMPT: Final = _SCOREKEEPER_PLAIN | _SCOREKEEPER_ACADEMIC
_SCOREKEEPER_HELPED: Final = merged(
    _SCOREKEEPER_ATTEMPT,
    st.fixed_dictionaries(
        {}, optional={"helpers": st.lists(st.fixed_dictionaries({"skill": st.integers(3, 9)}), max_size=2)}
    ),
)
_HANDICAP: Final = st.fixed_dictionaries({}, optional={"handicap": st.integers(0, 10)})


def _scorekeeper_roll() -> Made:
    attack = st.fixed_dictionaries({}, optional={"attack": st.booleans()})
    take_ten = st.just({"take_ten": True})
    return merged(_SCOREKEEPER_HELPED, merged(_HANDICAP, attack) | take_ten)


def _scorekeeper_contest() -> Made:
    side = merged(_SCOREKEEPER_HELPED, _HANDICAP, st.fixed_dictionaries({}, optional={"name": LABELS}))
    return st.fixed_dictionaries({"contestants": st.lists(side, min_size=2, max_size=2)})


def _scorekeeper_extended() -> Made:
    target = (st.integers(1, 150) | st.integers(1, 10_000)).flatmap(
        lambda most: st.fixed_dictionaries(
            {"target_effect": st.just(most)}, optional={"accumulated": st.integers(0, most - 1)}
        )
    )
    rest = st.fixed_dictionaries(
        {"max_rolls": st.integers(1, 12)},
        optional={"on_fumble": st.sampled_from(["lose_all", "lose_nothing"])},
    )
    return merged(_SCOREKEEPER_ATTEMPT, _HANDICAP, target, rest)


def _zrps_roll() -> Made:
    return st.fixed_dictionaries({"value": VALUES}, optional={"modifiers": MODIFIERS})


def _zrps_contest() -> Made:
    side = st.fixed_dictionaries(
        {"values": st.lists(VALUES, min_size=1, max_size=FEW)},
        optional={"modifiers": MODIFIERS, "name": LABELS},
    )
    return st.fixed_dictionaries({"contestants": st.lists(side, min_size=2, max_size=2)})


_FREE_EFFECTS: Final = [
    *("accuracy_mark", "join_forces", "focused", "soft_chord", "shaken", "shaken_elsewhere", "exposed"),
    *("nimble", "flanked", "slowed", "other_condition", "wall", "slip_away", "vanish", "guardian"),
    *("armor_mark", "brace", "guard_pain", "worn"),
]
_DEFENDING_EFFECTS: Final = ["stand_firm", "note", "held_song", "take_the_hit"]


def _three_marks() -> Made:
    values = st.integers(-4, 4) | st.integers(-1000, 1000)
    advantage = st.fixed_dictionaries({"advantage": values}) | st.fixed_dictionaries(
        {"accuracy": values, "defense_value": values}
    )

    def effects(named: list[str]) -> Any:
        return st.lists(st.sampled_from(named), unique=True, max_size=6)

    defended = st.fixed_dictionaries(
        {
            "defense": st.sampled_from(["cover", "body", "reflexes", "will"]),
            "effects": effects(_FREE_EFFECTS + _DEFENDING_EFFECTS),
        }
    )
    undefended = st.fixed_dictionaries({"effects": effects(_FREE_EFFECTS)})
    damage: Made = (
        st.just({})
        | st.fixed_dictionaries({"damage": st.integers(1, 12) | st.integers(1, 1000)})
        | st.fixed_dictionaries({"scars": st.integers(1, 100)})
    )
    target = st.fixed_dictionaries(
        {}, optional={"armor": st.integers(0, 8) | st.integers(0, 1000), "life": st.integers(1, 20)}
    )
    return merged(advantage, defended | undefended, damage, target)


REQUESTS: Final[dict[Key, Made]] = {
    ("pathfinder2e", "roll"): _pathfinder(),
    ("v20", "roll"): _v20(),
    ("scorekeeper", "roll"): _scorekeeper_roll(),
    ("scorekeeper", "contest"): _scorekeeper_contest(),
    ("scorekeeper", "extended"): _scorekeeper_extended(),
    ("zrps", "roll"): _zrps_roll(),
    ("zrps", "contest"): _zrps_contest(),
    ("three-marks", "roll"): _three_marks(),
}
"""Requests for the odds of each action, without what all requests share."""
