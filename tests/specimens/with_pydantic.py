"""Specimens whose classes need pydantic."""

import threading

import pydantic

from tests.specimens import Box

Payload = pydantic.create_model("PayloadModel", x=(str, "a"), y=(str, "b"))


class Guarded(pydantic.BaseModel):
    name: str = "n"
    _guard: object = pydantic.PrivateAttr(default_factory=threading.Lock)


def created():
    return Box(payload=Payload(), route="r")


def private():
    return Guarded()
