"""The fields that requests share, with their bounds."""

from collections.abc import Iterator
from typing import Annotated, Any, Final, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StringConstraints,
    WithJsonSchema,
    create_model,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

MAX_SEED_INTEGER: Final = 2**53 - 1
"""Integers up to here survive JavaScript's numbers."""
NO_CONTROL: Final = r"^[^\x00-\x1f\x7f-\x9f]+$"
SEED_LENGTH: Final = 128
LABEL_LENGTH: Final = 100
MODIFIERS: Final = 50

GREATEST_VALUE: Final = 1000
Value = Annotated[int, Field(ge=-GREATEST_VALUE, le=GREATEST_VALUE)]
"""A number that describes a character or a situation."""
Label = Annotated[str, Field(max_length=LABEL_LENGTH)]
"""A name that a person gave to something. It is shown, never interpreted."""


def _integer_as_text(value: object) -> object:
    """Read an integer seed as its decimal text. A bool is no integer here."""
    if type(value) is not int:
        return value
    if abs(value) > MAX_SEED_INTEGER:
        raise PydanticCustomError("out_of_range", "beyond 2^53 - 1")
    return str(value)


INTEGER_AS_TEXT: Final = BeforeValidator(_integer_as_text)


def seed_schema(length: int) -> WithJsonSchema:
    """Describe a seed of at most `length` characters."""
    return WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": length, "pattern": NO_CONTROL},
                {"type": "integer", "minimum": -MAX_SEED_INTEGER, "maximum": MAX_SEED_INTEGER},
            ]
        }
    )


SeedText = Annotated[str, StringConstraints(min_length=1, max_length=SEED_LENGTH, pattern=NO_CONTROL)]
Seed = Annotated[SeedText, INTEGER_AS_TEXT, seed_schema(SEED_LENGTH)]
"""Text, or an integer that is read as its decimal text: 42 and "42" are the same seed."""


def _null_as(default: object, schema: CoreSchema) -> CoreSchema:
    def fill(value: object) -> object:
        return default if value is None else value

    return core_schema.no_info_after_validator_function(fill, core_schema.nullable_schema(schema))


ORIGINS: Final = ("seed", "nonce", "faces")
"""The fields that say where faces come from."""


class Frozen(BaseModel):
    """A part of a request: strict, immutable, without unknown fields. Null is the same as left out."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[BaseModel], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Let every field that has a default take null for it, so that no field has to say so itself."""
        schema = handler(source)
        model: Any = schema
        for field in model["schema"]["fields"].values():
            inner = field["schema"]
            if inner["type"] == "default" and inner["default"] is not None:
                inner["schema"] = _null_as(inner["default"], inner["schema"])
        return schema


class ActionRequest(Frozen):
    """What every action takes."""

    ref: Label | None = Field(default=None, description="Your own reference; the answer echoes it.")


class DiceRequest(ActionRequest):
    """What every action with dice takes: at most one of `seed`, `nonce` and `faces`.

    A ruleset declares `faces` anew with the faces of its die.
    """

    seed: Seed | None = Field(
        default=None,
        description="The text that the faces follow from. The same seed gives the same faces, for ever. "
        "Without one the service draws it and returns it.",
    )
    nonce: SeedText | None = Field(
        default=None,
        description="A name for this roll, from which the service makes the seed with a secret of its own: "
        "nobody can foresee it, and a retry under the same name gives the same roll.",
    )
    faces: tuple[int, ...] | None = None


def without_dice(request: type[DiceRequest]) -> type[DiceRequest]:
    """Make the form of a request that asks for odds: no seed, nonce or faces, since no die is thrown."""
    none: Any = (None, Field(default=None, description="Not here: odds throw no dice."))
    return create_model(
        f"{request.__name__}Situation",
        __base__=request,
        __doc__=f"{request.__doc__} For its odds, without dice.",
        **dict.fromkeys(ORIGINS, none),
    )


FACES_DESCRIPTION: Final = (
    "The faces of dice thrown elsewhere, in the order the rule needs them: exactly as many as it needs."
)
FacesD20 = Annotated[
    tuple[Annotated[int, Field(ge=1, le=20)], ...] | None, Field(description=FACES_DESCRIPTION)
]
FacesD10 = Annotated[
    tuple[Annotated[int, Field(ge=1, le=10)], ...] | None, Field(description=FACES_DESCRIPTION)
]
FacesD6 = Annotated[
    tuple[Annotated[int, Field(ge=1, le=6)], ...] | None, Field(description=FACES_DESCRIPTION)
]


class Modifier(Frozen):
    """One signed modifier."""

    value: Value = Field(description="Above 0 it helps, below 0 it hinders.")
    label: Label | None = Field(default=None, description="What it comes from, for people.")


Modifiers = Annotated[
    tuple[Modifier, ...],
    Field(max_length=MODIFIERS, description="Modifiers of this attempt; all of them are added."),
]


def total(modifiers: tuple[Modifier, ...]) -> int:
    """Add the values of all modifiers."""
    return sum([modifier.value for modifier in modifiers])


def own_fields(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """List the fields of a request by path, its parts' included, without those that all requests share."""
    for name, field in model.model_fields.items():
        if prefix or name not in DiceRequest.model_fields:
            yield prefix + name, field
            for part in parts_of(field.annotation):
                yield from own_fields(part, f"{prefix}{name}.")


def parts_of(annotation: Any) -> Iterator[type[BaseModel]]:
    """Find the models inside an annotation."""
    for argument in get_args(annotation):
        yield from parts_of(argument)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
