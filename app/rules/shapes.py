"""What the rules hand on: words out of closed lists, and records of what came out.

Both are made and written at every roll, so both cost as little as they can.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar, cast, dataclass_transform

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

RecordT = TypeVar("RecordT")


class OneOf(StrEnum):
    """A word out of a closed list."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: type[StrEnum], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Write it as the text that it is: an enumeration that is asked for its value runs Python for it."""
        schema: Any = handler(source)
        schema["serialization"] = core_schema.simple_ser_schema("str")
        return cast(CoreSchema, schema)


@dataclass_transform(frozen_default=True)
def record(kind: type[RecordT]) -> type[RecordT]:
    """Make a dataclass that nothing changes: the type checker sees to it.

    One that the interpreter holds frozen takes more than twice the time to make.
    """
    return dataclass(kind)
