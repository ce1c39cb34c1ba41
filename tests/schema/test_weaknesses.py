"""Settings that are known to be broken are warned of, and no others."""

from __future__ import annotations

import pytest

from unveil.schema import Hardening, LayerA, Schema, built_in
from unveil.schema.weaknesses import weaknesses


def with_steps(*steps: Hardening) -> Schema:
    schema = built_in("person")
    return schema.model_copy(update={"layer_r": schema.layer_r.model_copy(update={"hardening": steps})})


@pytest.mark.parametrize("name", ["person", "clinic"])
def test_what_comes_with_unveil_has_none(name: str) -> None:
    """A warning about a default would be a default to change."""
    assert [] == weaknesses(built_in(name))


def test_the_published_schema_has_all_of_them() -> None:
    """Plain filters at both levels and whole hashes: it is there for comparing methods."""
    assert ["layer_r", "layer_r", "layer_a"] == [one.split(":")[0] for one in weaknesses(built_in("paper"))]


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((Hardening(method="diffusion", t=5, m=4096),), "undone in seconds"),
        ((Hardening(method="xor-fold"),), "similar register"),
        ((), "similar register"),
    ],
)
def test_hardening_that_was_broken_is_told(steps: tuple[Hardening, ...], said: str) -> None:
    """A diffusion into more bits looks like protection."""
    (found,) = weaknesses(with_steps(*steps))
    assert said in found


def test_a_diffusion_into_fewer_bits_is_not_called_broken() -> None:
    """It held without known people."""
    assert [] == weaknesses(with_steps(Hardening(method="diffusion", t=3, m=1856)))


def test_filters_without_signs_are_told_where_attributes_are_compared() -> None:
    """With one layer nothing of them is sent."""
    plain = built_in("person").model_copy(update={"layer_a": LayerA()})
    one_layer = plain.model_copy(update={"protocol": plain.protocol.model_copy(update={"layers": 1})})
    assert ["layer_a"] == [one.split(":")[0] for one in weaknesses(plain)]
    assert [] == weaknesses(one_layer)


@pytest.mark.parametrize(("keys", "said"), [(3, "35 %"), (2, "13 %"), (1, ""), (0, "")])
def test_whole_hashes_of_several_keys_are_told(keys: int, said: str) -> None:
    """One key alone tells nobody, for its blocks have no neighbours."""
    schema = built_in("person")
    layer = schema.layer_r.model_copy(update={"key_bits": 128})
    found = weaknesses(schema.model_copy(update={"layer_r": layer, "blocking": schema.blocking[:keys]}))
    assert [said] == [one for one in [said] if one in " ".join(found)]
    assert bool(said) == bool(found)
