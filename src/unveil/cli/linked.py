"""What `unveil link` writes and prints: links, persons, how good they seem to be, what looks wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unveil.cli.door import say_lines
from unveil.errors import SettingError
from unveil.files.source import STANDARD

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from unveil.linkage.estimate import Estimate
    from unveil.one_place.link import FilesLinked
    from unveil.protocol.data_warnings import DataWarning

_FIGURES = ("precision", "recall", "f1")


def write_result(
    linked: FilesLinked, *, out: Path, persons: Path | None, report: Path | None, overwrite: bool
) -> dict[str, Path | None]:
    """Write the files that were asked for, and return them by what they are."""
    from unveil.files.atomic import replacing
    from unveil.files.write_table import write_table
    from unveil.one_place.report import render

    write_table(out, linked.links(), ids=("record_id_a", "record_id_b"), overwrite=overwrite)
    if persons is not None:
        write_table(persons, linked.persons(), ids=("record_id",), overwrite=overwrite)
    if report is not None:
        if linked.figures is None:
            raise SettingError("--report: a threshold leaves nothing to report", hint="leave --threshold out")
        with replacing(report, overwrite=overwrite) as temporary:
            temporary.write_text(render(linked.figures), encoding="utf-8")
    return {"file": out, "persons": persons, "report": report}


def as_json(
    linked: FilesLinked, files: tuple[Path, Path], more: Sequence[str], written: Mapping[str, Path | None]
) -> dict[str, Any]:
    """The object that `unveil link --json` prints; `more` are sentences about columns."""
    found, estimate = linked.found, linked.found.estimate
    said: dict[str, Any] = {
        **{name: None if path is None else str(path) for name, path in written.items()},
        "links": len(found),
        "linked_persons": found.linked_persons,
        "compared_pairs": found.compared_pairs,
        "skipped_blocks": found.skipped_blocks,
        "opened_pairs": 0 if linked.figures is None else linked.figures.reviewed_pairs,
        "labels": 0 if linked.figures is None else linked.figures.clerical_labels,
        "kept_out": {side: dict(reasons) for side, reasons in zip("ab", found.kept_out, strict=True)},
    }
    for name in _FIGURES:
        said[f"estimated_{name}"] = list(getattr(estimate, name)) if estimate else None
    said["estimate_trusted"] = estimate.trusted if estimate else None
    said["warnings"] = [warning.as_json() for warning in _warnings(linked, files)]
    return said | {"column_warnings": list(more), "same_file": _twice(linked, files)}


def say_result(
    linked: FilesLinked, files: tuple[Path, Path], more: Sequence[str], written: Mapping[str, Path | None]
) -> None:
    """Print the same for people; on stderr where the links themselves are on stdout."""
    say_lines(_result(linked, files, more, written), err=written["file"] == STANDARD)


def _result(
    linked: FilesLinked, files: tuple[Path, Path], more: Sequence[str], written: Mapping[str, Path | None]
) -> Iterator[str]:
    found = linked.found
    persons = "" if found.linked_persons == len(found) else f" of {found.linked_persons:,} persons"
    yield f"{len(found):,} links{persons} written to {written['file']}; {found.compared_pairs:,} pairs compared"
    for name in ("persons", "report"):
        if written[name] is not None:
            yield f"{name:<19} {written[name]}"
    if found.estimate is not None:
        yield from _estimate(linked, found.estimate)
    if found.skipped_blocks:
        yield f"{found.skipped_blocks:,} blocks were too large and skipped: raise --max-block to include them"
    for side, reasons in zip("ab", found.kept_out, strict=True):
        for why, records in reasons.items():
            yield f"kept out of the comparison: {records:,} records of file {side}, {why}"
    sentences = (_twice(linked, files), *more, *(warning.sentence for warning in _warnings(linked, files)))
    for sentence in filter(None, sentences):
        yield f"warning: {sentence}"


def _estimate(linked: FilesLinked, estimate: Estimate) -> Iterator[str]:
    for name, figure in (("precision", estimate.precision), ("recall", estimate.recall), ("F1", estimate.f1)):
        low, likely, high = figure
        yield f"estimated {name:<9} {likely:.3f}, between {low:.3f} and {high:.3f}"
    if estimate.trusted:
        return
    if linked.figures is None or not linked.figures.reviewed_pairs:
        yield "estimated from the record level alone: no pair was compared by attribute that could confirm it"
    else:
        yield (
            "this estimate cannot be trusted: what the pairs show contradicts what the models expect; look at a sample"
        )


def _warnings(linked: FilesLinked, files: tuple[Path, Path]) -> list[DataWarning]:
    """What the units warn of, about files instead of owners."""
    return [one.about({"owner a": str(files[0]), "owner b": str(files[1])}) for one in linked.found.warnings]


def _twice(linked: FilesLinked, files: tuple[Path, Path]) -> str | None:
    from unveil.one_place.same_file import same_file_sentence

    return same_file_sentence(files, linked.same)
