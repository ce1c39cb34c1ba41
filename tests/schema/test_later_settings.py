"""Settings that came after the first release: left as they were before, they change no fingerprint."""

from __future__ import annotations

from typing import Any

import pytest

from unveil.schema import LayerA, LayerR, ProtocolSettings, Schema, ThresholdSettings, built_in
from unveil.schema.presets import with_preset

#: As computed by the version that had none of these settings.
BEFORE = {
    ("clinic", "schema"): "b704b283e335bba2c5b34a93ff34cbe3f35adc20d9ff1ed6595384d69ef32887",
    ("clinic", "paper"): "06a013173ea2b158e2ad79c84455de52fb6ff502b8f09fa3b14d33c6d70d7671",
    ("clinic", "unveil"): "3cbda740fe84a69ba963cce3858a986f89d4c9bd81902151033d17f51c8d4672",
    ("person", "schema"): "5d23ae606fefcda0a423908683660b95c9f59ae36350bb2d2dae31cbe4c620e4",
    ("person", "paper"): "24ed8ac6f1af5fbb29ba9a5862b46a6fcd0ca5303b5abdb242eeaedddae6d2c2",
    ("person", "unveil"): "3d9ec135d11c4f7239172edaa78a42de980d4ab3e894becde263c97d768a760e",
}


def as_it_was(name: str) -> Schema:
    """The built-in schema with the filters that it had: others were to come, and that is meant to show."""
    if name == "person":
        return built_in("paper").model_copy(update={"name": "person"})
    attributes = tuple(each.model_copy(update={"in_record": 1.0}) for each in built_in(name).attributes)
    changed = {"layer_r": LayerR(h=10), "layer_a": LayerA(), "attributes": attributes}
    plain = built_in(name).model_copy(update=changed)
    return with_protocol(plain, threshold=ThresholdSettings())


def with_protocol(schema: Schema, **changes: Any) -> Schema:
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update=changes)})


def with_role(schema: Schema, role: str | None) -> Schema:
    first, *rest = schema.attributes
    return schema.model_copy(update={"attributes": (first.model_copy(update={"role": role}), *rest)})


@pytest.mark.parametrize(("name", "preset"), BEFORE)
def test_settings_left_as_they_were_leave_the_fingerprint(name: str, preset: str) -> None:
    """Owners whose versions differ must still agree. Of the presets `unveil` alone is another than it was."""
    schema = with_preset(as_it_was(name), preset)
    as_before = {"neighbours": 0, "p_t": 0.95, "batches": ProtocolSettings().batches} if preset == "unveil" else {}
    assert BEFORE[name, preset] == with_protocol(schema, **as_before).fingerprint()
    if preset == "unveil":
        assert BEFORE[name, preset] != schema.fingerprint()
    else:
        assert BEFORE[name, preset] == schema.fingerprint()


@pytest.mark.parametrize("name", ["clinic", "person"])
def test_settings_that_say_something_new_change_the_fingerprint(name: str) -> None:
    """Whoever weighs attributes by other roles, or has other candidates, links otherwise."""
    schema = built_in(name)
    others = [
        with_role(schema, "given_name"),
        with_role(schema, "other"),
        with_protocol(schema, neighbours=1),
        with_protocol(schema, neighbours=5),
        with_protocol(schema, neighbours=5, most_compared=1000),
        with_protocol(schema, most_compared=1000),
        with_protocol(schema, evenness=0.9),
        with_protocol(schema, strangers=5),
        with_protocol(schema, further_attributes=0.1),
    ]
    assert len(others) + 1 == len({one.fingerprint() for one in (schema, *others)})


def test_what_is_written_out_counts_as_what_is_left_out() -> None:
    """A schema file may name the settings at their usual values."""
    schema = built_in("person")
    assert schema.fingerprint() == with_role(schema, None).fingerprint()
    written = with_protocol(schema, neighbours=0, most_compared=20_000_000_000)
    assert schema.fingerprint() == written.fingerprint()
