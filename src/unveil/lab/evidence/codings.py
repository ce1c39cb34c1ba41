"""The record encodings that are attacked and compared: each a change of a schema's record layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import Any, Final

from unveil.errors import SettingError
from unveil.schema import Hardening, LayerR, Schema
from unveil.settings.mistakes import near

#: How full plain filters are made, and those before an XOR of salted ones.
_PLAIN_FILL: Final = 0.4
_HALF: Final = 0.5
#: The name of a schema's own encoding among the others.
OWN: Final = "own"


@dataclass(frozen=True, slots=True)
class Coding:
    """
    A record encoding by name: filters of m bits, as full as `fill` for the schema's attributes, and steps.

    `stripped` codings are linear and longer than what goes in, so that elimination gives the inputs back.
    """

    name: str
    title: str
    m: int
    steps: tuple[dict[str, Any], ...] = ()
    fill: float = _PLAIN_FILL
    stripped: bool = False
    salted: bool = False

    def of(self, schema: Schema) -> Schema:
        """The schema with this record encoding."""
        steps, attributes = self.steps, schema.attributes
        if self.salted:
            by = fields_of(schema)
            if not by:
                raise SettingError(
                    f"the schema {schema.name} salts by no field, so there is nothing to compare it with"
                )
            steps = tuple(step | {"by": by} if step["method"] == "diffusion" else step for step in steps)
        else:
            # As they are published: each q-gram has as many positions as any other.
            attributes = tuple(each.model_copy(update={"in_record": 1.0}) for each in attributes)
        hardening = tuple(Hardening(**step) for step in steps)
        layer = LayerR(encoding="clk", m=self.m, h=_positions(schema, self.m, self.fill), hardening=hardening)
        return schema.model_copy(update={"layer_r": layer, "attributes": attributes})


def fields_of(schema: Schema) -> tuple[str, ...]:
    """The fields that a schema's own hardening is salted by."""
    return next((step.by for step in schema.layer_r.hardening if step.by), ())


def _positions(schema: Schema, m: int, fill: float) -> int:
    """
    Positions for each q-gram that fill m bits so far, from those of the schema's own layer.

    A filter is 1 - exp(-gh/m) full of g q-grams; a schema's own one is taken to be half full before an XOR of its bits,
    and 40 % full else.
    """
    own = _HALF if schema.layer_r.hardening else _PLAIN_FILL
    ratio = log(1 / (1 - fill)) / log(1 / (1 - own))
    return max(1, round(schema.layer_r.h * m / schema.layer_r.m * ratio))


def _diffusion(t: int, m: int) -> dict[str, Any]:
    return {"method": "diffusion", "t": t, "m": m}


#: Every hardening and parameter of the comparison, the weakest first.
CODINGS: Final = (
    Coding("plain", "plain CLK, 1,024 bits", 1024),
    Coding("response-05", "randomised response, .05", 1024, ({"method": "randomised-response", "f": 0.05},)),
    Coding("response-20", "randomised response, .20", 1024, ({"method": "randomised-response", "f": 0.2},)),
    Coding("balance", "balancing", 1024, ({"method": "balance"},)),
    Coding("rule-90", "Rule 90", 1024, ({"method": "rule-90"},)),
    Coding("re-sampling", "re-sampling", 1024, ({"method": "re-sampling"},)),
    Coding("xor-fold", "XOR folding", 1024, ({"method": "xor-fold"},)),
    Coding("longer-3", "diffusion t=3, 1,024 into 2,048", 1024, (_diffusion(3, 2048),), stripped=True),
    Coding("longer-5", "diffusion t=5, 1,024 into 4,096", 1024, (_diffusion(5, 4096),), stripped=True),
    Coding("shorter-3", "diffusion t=3, 2,048 into 1,856", 2048, (_diffusion(3, 1856),)),
    Coding("shorter-5", "diffusion t=5, 4,096 into 3,968", 4096, (_diffusion(5, 3968),)),
    Coding("same-5", "diffusion t=5, 1,024 into 1,024", 1024, (_diffusion(5, 1024),)),
    Coding("salted-2", "salted diffusion t=2", 2048, (_diffusion(2, 2048),), fill=_HALF, salted=True),
    Coding("salted-3", "salted diffusion t=3", 2048, (_diffusion(3, 2048),), fill=_HALF, salted=True),
    Coding("salted-4", "salted diffusion t=4", 2048, (_diffusion(4, 2048),), fill=_HALF, salted=True),
    Coding("salted-5", "salted diffusion t=5", 2048, (_diffusion(5, 2048),), fill=_HALF, salted=True),
)
#: The codings that controls are made of.
PLAIN: Final = CODINGS[0]
LONGER: Final = next(each for each in CODINGS if each.name == "longer-3")


def coded(schema: Schema, name: str) -> Schema:
    """The schema with the coding of that name; `own` leaves it as it is."""
    if name == OWN:
        return schema
    names = (OWN, *(each.name for each in CODINGS))
    found = next((each for each in CODINGS if each.name == name), None)
    if found is None:
        raise SettingError(f"no encoding {name}{near(name, names)}", hint=f"choose one of {', '.join(names)}")
    return found.of(schema)


def title_of(schema: Schema, name: str) -> str:
    """How people call it."""
    return f"the record encoding of {schema.name}" if name == OWN else next(c.title for c in CODINGS if c.name == name)


def applicable(schema: Schema) -> dict[str, Callable[[Schema], Schema]]:
    """The codings that can be set beside a schema's own, by name."""
    return {each.name: each.of for each in CODINGS if fields_of(schema) or not each.salted}
