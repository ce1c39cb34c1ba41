"""Messages as bytes: frames of the kinds that the table of flows names, and of no other."""

from __future__ import annotations

from unveil.protocol import frames
from unveil.protocol.flows import FLOWS
from unveil.protocol.frames import VERSION, FrameError
from unveil.protocol.messages import Message

__all__ = ["VERSION", "FrameError", "decode", "encode"]

_KINDS: dict[str, type[Message]] = {kind.kind(): kind for kind in FLOWS}


def encode(message: Message) -> bytes:
    """The message as bytes."""
    return frames.write(message)


def decode(frame: bytes) -> Message:
    """The message in these bytes; FrameError if they are anything else."""
    return frames.read(frame, _KINDS)
