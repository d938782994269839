"""A route of FastAPI around the d20 package, which rolls dice notation."""

import d20
from fastapi import FastAPI
from pydantic import BaseModel


class Notation(BaseModel):
    """What to roll, such as `1d20 - 3 [Sand im Auge]`."""

    notation: str


class Rolled(BaseModel):
    """What came out."""

    total: int
    text: str


app = FastAPI()


@app.post("/roll")
async def roll(request: Notation) -> Rolled:
    """Roll."""
    result = d20.roll(request.notation)
    return Rolled(total=result.total, text=result.result)
