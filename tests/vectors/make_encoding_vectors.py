"""
Rewrites the encoding vectors beside this file. Run it after a deliberate change of a definition, and say so.

The vectors hold inputs and outputs, so that another implementation can be checked against them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import draws, hardening
from unveil.encoding.bits import pack, wire
from unveil.encoding.encoder import Encoder
from unveil.encoding.hashing import positions
from unveil.encoding.keys import OwnerKey, Subkeys, derive
from unveil.encoding.normalise import normalise
from unveil.encoding.phonetics import phonetic_code
from unveil.encoding.qgrams import pad_symbol, qgrams
from unveil.encoding.rbf import rbf_layout
from unveil.encoding.signs import whole
from unveil.records import Column, Records
from unveil.schema import PHONETICS, Attribute, Schema

HERE = Path(__file__).parent
KEY = bytes(range(32))
PROJECT = "vectors"
STEPS = Attribute(name="any").normalise

SCHEMA: dict[str, Any] = {
    "name": "vectors",
    "attributes": [
        {"name": "name", "h": 18, "weight": 3.0},
        {"name": "year", "h": 26, "weight": 1.0, "normalise": ["digits-only"]},
        {"name": "town", "h": 5, "weight": 1.5, "q": 3},
        {"name": "code", "h": 9, "weight": 0.5, "padding": False, "q": 3},
    ],
    "blocking": [
        {"fields": ["name", "year"]},
        {"fields": ["soundex(name)", "first3(town)"]},
        {"fields": ["raw(code)"]},
    ],
    "layer_r": {"m": 192, "h": 6},
    "layer_a": {"m": 128},
}
ROWS: dict[str, list[str]] = {
    "name": ["Özge Straßer", "ozge strasser", "Ann", ""],
    "year": ["1970", "*1971*", "1970", "1970"],
    "town": ["Århus", "Aarhus", "", "Ulm"],
    "code": ["A1", "a1", "B-77", "B-77"],
}
PAIRS = [(0, bytes(16)), (1, bytes(16)), (0, b"a second pair key"), (3, bytes(range(16)))]


def records() -> Records:
    """The invented records of the vectors."""
    return Records(["0", "1", "2", "3"], {name: Column.of(values) for name, values in ROWS.items()})


def schema(**layer_r: object) -> Schema:
    """The schema of the vectors, with other settings of the record level where given."""
    return Schema.model_validate({**SCHEMA, "layer_r": {**SCHEMA["layer_r"], **layer_r}})


def rows_hex(filters: NDArray[np.uint64]) -> list[str]:
    """Each row as it is sent, in hexadecimal."""
    return [row.tobytes().hex() for row in wire(filters)]


def key_vectors() -> dict[str, Any]:
    lists = [["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], []]
    tagged: list[tuple[Any, dict[str, str]]] = [
        ("R", {"attribute": "name"}),
        ("A", {"attribute": "name"}),
        ("A", {"pair": "0123456789abcdef", "attribute": "name"}),
        ("blocking", {"name": "name+year"}),
        ("hardening", {"step": "0", "method": "balance"}),
        ("fingerprint", {}),
    ]
    subkeys = Subkeys(OwnerKey(KEY), PROJECT)
    return {
        "secret": KEY.hex(),
        "derive": [{"parts": parts, "key": derive(KEY, *parts).hex()} for parts in lists],
        "project": PROJECT,
        "subkeys": [
            {"layer": layer, "tagged": parts, "key": subkeys.of(layer, **parts).hex()} for layer, parts in tagged
        ],
        "bound": [
            {
                "agreed": agreed,
                "run": run.hex(),
                "pair": bytes(range(32)).hex(),
                "attribute": "name",
                "key": Subkeys(OwnerKey(KEY), PROJECT, agreed=agreed)
                .of_pairs([bytes(range(32))], "name", run=run)[0]
                .hex(),
            }
            for agreed, run in (
                ("", b""),
                ("abcd-efgh", bytes(32)),
                ("abcd-efgh", bytes([1] * 32)),
                ("abcd", bytes(32)),
            )
        ],
    }


def value_vectors() -> dict[str, Any]:
    values = ["Müller", "MU\u0308LLER", " Van  der Berg ", "José", "Łódź", "Þórr", "Æsop", "Σίσυφος", "ẞ", "١٩٧٠", ""]
    grams = [("anna", 2, 0), ("anna", 2, 1), ("anna", 3, 0), ("anna", 1, 0), ("a", 2, 0), ("", 2, 0)]
    bare = [("anna", 2), ("an", 3), ("", 3)]
    names = ["Robert", "Rupert", "Ashcraft", "Tymczak", "Pfister", "Honeyman", "O'Brien", "Özge", "1970", ""]
    return {
        "normalise": [
            {"value": value, "steps": list(steps), "result": normalise(value, steps)}
            for value in values
            for steps in (STEPS, ("digits-only",), ("strip-accents", "letters-only"))
        ],
        "qgrams": [{"value": v, "q": q, "index": i, "tokens": qgrams(v, q=q, pad=pad_symbol(i))} for v, q, i in grams]
        + [{"value": v, "q": q, "index": None, "tokens": qgrams(v, q=q, pad=None)} for v, q in bare],
        "phonetics": [{"value": name} | {m: phonetic_code(m, name) for m in PHONETICS} for name in names],
    }


def hashing_vectors() -> dict[str, Any]:
    cases = [
        ("an", 1024, 12),
        ("an", 256, 43),
        ("ü\ue000", 256, 18),
        ("an", 192, 20),
        ("an", 40000, 40),
        ("an", 65536, 3),
    ]
    return {
        "key": KEY.hex(),
        "positions": [
            {"token": t, "m": m, "h": h, "positions": positions([(KEY, [t.encode()])], m=m, h=h)[0].tolist()}
            for t, m, h in cases
        ],
        "permutation": draws.permutation(KEY, 19).tolist(),
        "draw": {"below": 100, "numbers": draws.draw(KEY, 100, (5, 2)).tolist()},
        "draw_distinct": {"below": 5, "numbers": draws.draw_distinct(KEY, 5, (4, 4)).tolist()},
    }


def filter_vectors() -> dict[str, Any]:
    key, people = OwnerKey(KEY), records()
    clk, rbf = (Encoder(schema(encoding=name), key, project=PROJECT) for name in ("clk", "rbf"))
    layout = rbf_layout(schema(encoding="rbf"), key, project=PROJECT)
    pair_level = clk.pair_level(people, np.array([row for row, _ in PAIRS]), [pair for _, pair in PAIRS])
    return {
        "key": KEY.hex(),
        "project": PROJECT,
        "schema": SCHEMA,
        "records": ROWS,
        "clk": rows_hex(clk.record_level(people)),
        "rbf": rows_hex(rbf.record_level(people)),
        "rbf_layout": {"attribute": layout.attribute.tolist(), "source": layout.source.tolist()},
        "abf": [rows_hex(row) for row in clk.attribute_level(people)],
        "kabf": [
            {"row": row, "key_pair": pair.hex(), "filters": rows_hex(filters)}
            for (row, pair), filters in zip(PAIRS, pair_level, strict=True)
        ],
        "blocking": [[key.tobytes().hex() for key in row] for row in clk.blocking_keys(people)],
        "blocking_of_12_bits": [
            [key.tobytes().hex() for key in row]
            for row in Encoder(schema(key_bits=12), key, project=PROJECT).blocking_keys(people)
        ],
    }


def sign_vectors() -> dict[str, Any]:
    layer_a = {"m": 128, "signs": 320}
    encoder = Encoder(Schema.model_validate({**SCHEMA, "layer_a": layer_a}), OwnerKey(KEY), project=PROJECT)
    people, pairs = records(), [pair for _, pair in PAIRS]
    handles = [bytes([at]) * 16 for at in range(len(PAIRS))]
    found = encoder.pair_level(people, np.array([row for row, _ in PAIRS]), pairs, handles=handles)
    classes = np.tile(np.array([1, 2, 3, 0], np.uint8), (len(PAIRS), 1))
    hidden = [encoder.pair_classes(classes, found, pairs, second=second) for second in (False, True)]
    return {
        "key": KEY.hex(),
        "project": PROJECT,
        "layer_a": layer_a,
        "schema_and_records": "encoding_filters.json",
        "whole": [
            {"tokens": tokens, "token": whole({token.encode() for token in tokens}).hex()}
            for tokens in (["an", "nn", "na"], ["na", "an", "nn"], ["a"])
        ],
        "signs": [
            {"row": row, "key_pair": pair.hex(), "handle": handle.hex(), "signs": rows_hex(each)}
            for (row, pair), handle, each in zip(PAIRS, handles, found, strict=True)
        ],
        "classes": [1, 2, 3, 0],
        "sent_by_the_first": [row.tobytes().hex() for row in hidden[0]],
        "sent_by_the_second": [row.tobytes().hex() for row in hidden[1]],
    }


def hardening_vectors() -> dict[str, Any]:
    bits = np.zeros((2, 128), dtype=np.uint8)
    bits[0, ::3] = bits[1, [0, 1, 64, 100, 127]] = 1
    b = pack(bits)
    steps = [{"method": "balance"}, {"method": "diffusion", "t": 4, "m": 96}, {"method": "xor-fold"}]
    hardened = Encoder(schema(hardening=steps), OwnerKey(KEY), project=PROJECT)
    by = [{"method": "diffusion", "t": 3, "m": 192, "by": ["year", "soundex(name)"]}]
    salted = Encoder(schema(hardening=by), OwnerKey(KEY), project=PROJECT)
    return {
        "key": KEY.hex(),
        "m": 128,
        "input": rows_hex(b),
        "xor_fold": rows_hex(hardening.xor_fold(b, m=128)),
        "balance": rows_hex(hardening.balance(b, m=128, key=KEY)),
        "rule_90": rows_hex(hardening.rule_90(b, m=128)),
        "re_sampling": rows_hex(hardening.re_sampling(b, m=128, key=KEY)),
        "re_sampling_to_72": rows_hex(hardening.re_sampling(b, m=128, key=KEY, m_out=72)),
        "diffusion_3": rows_hex(hardening.diffusion(b, m=128, key=KEY, t=3)),
        "diffusion_5_to_200": rows_hex(hardening.diffusion(b, m=128, key=KEY, t=5, m_out=200)),
        "permutation": rows_hex(hardening.permutation(b, m=128, key=KEY)),
        "pipeline": {"steps": steps, "m": hardened.m, "clk": rows_hex(hardened.record_level(records()))},
        "salted": {"steps": by, "m": salted.m, "clk": rows_hex(salted.record_level(records()))},
    }


def build() -> dict[str, dict[str, Any]]:
    """The contents of every vector file by its name, as JSON would give them back."""
    made = {
        "encoding_keys.json": key_vectors(),
        "encoding_values.json": value_vectors(),
        "encoding_hashing.json": hashing_vectors(),
        "encoding_filters.json": filter_vectors(),
        "encoding_hardening.json": hardening_vectors(),
        "encoding_signs.json": sign_vectors(),
    }
    back: dict[str, dict[str, Any]] = json.loads(json.dumps(made))
    return back


if __name__ == "__main__":
    for name, content in build().items():
        (HERE / name).write_text(json.dumps(content, indent=1, ensure_ascii=True) + "\n", encoding="utf-8")
