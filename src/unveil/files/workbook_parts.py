"""
The parts of an xlsx workbook: a zip archive of XML files, read as a stream and to no more than they should hold.

Document types are refused, so there are no entities that could grow; names are taken without their namespaces, of which
there are two generations.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final
from xml.parsers import expat

from unveil.errors import InputError
from unveil.files.parquet_pages import UnpackedSize

_CHUNK: Final = 1 << 16
_DAMAGED: Final = "is a damaged workbook"
_AGAIN: Final = "save it again, or as CSV (UTF-8)"
_WORKBOOK: Final = "xl/workbook.xml"


@dataclass(frozen=True, slots=True)
class XmlEvent:
    """The beginning of an element, with what stands in its tag, or its end, with the text that stood in it."""

    name: str
    is_end: bool
    given: Mapping[str, str] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A sheet of a workbook: its name, the file that it stands in, and whether people see it."""

    name: str
    file: str
    is_visible: bool


class WorkbookParts:
    """An open workbook, whose files are read one after the other."""

    def __init__(self, path: Path, handle: BinaryIO) -> None:
        self._path = path
        self._left = UnpackedSize(path, handle.seek(0, 2))
        handle.seek(0)
        try:
            self._archive = zipfile.ZipFile(handle)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
            raise self.damaged() from None

    def damaged(self) -> InputError:
        """What a workbook that cannot be read is refused with."""
        return InputError(self._path, _DAMAGED, hint=_AGAIN)

    def has(self, file: str) -> bool:
        """Whether there is such a file."""
        return file in self._archive.namelist()

    def sheets(self) -> tuple[list[SheetPart], bool]:
        """The sheets in their order, and whether days are counted from 1904 on."""
        files = self._targets()
        found, from_1904 = [], False
        for event in self.events(_WORKBOOK):
            if event.name == "workbookPr" and not event.is_end:
                from_1904 = event.given.get("date1904", "0") in {"1", "true"}
            if event.name == "sheet" and not event.is_end:
                file = files.get(event.given.get("id", ""))
                if file is not None and self.has(file):
                    is_visible = event.given.get("state", "visible") == "visible"
                    found.append(SheetPart(event.given.get("name", ""), file, is_visible))
        if not found:
            raise self.damaged()
        return found, from_1904

    def _targets(self) -> dict[str, str]:
        """By relation the file in the archive."""
        folder, files = PurePosixPath("xl"), {}
        for event in self.events("xl/_rels/workbook.xml.rels"):
            if event.name == "Relationship" and not event.is_end:
                target = event.given.get("Target", "")
                files[event.given.get("Id", "")] = target[1:] if target.startswith("/") else str(folder / target)
        return files

    def events(self, file: str) -> Iterator[XmlEvent]:
        """The elements of a file, in their order; an InputError if it is not there, or no XML."""
        reader = _EventReader()
        try:
            with self._archive.open(file) as part:
                while data := part.read(_CHUNK):
                    self._left.take(len(data))
                    yield from reader.feed(data)
                yield from reader.feed(b"", is_last=True)
        except (
            expat.ExpatError,
            zipfile.BadZipFile,
            zlib.error,
            KeyError,
            OSError,
            EOFError,
            RuntimeError,
            ValueError,
        ):
            raise self.damaged() from None


class _EventReader:
    """Turns bytes into elements."""

    def __init__(self) -> None:
        self._found: list[XmlEvent] = []
        self._text: list[list[str]] = []
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._refuse

    def feed(self, data: bytes, *, is_last: bool = False) -> list[XmlEvent]:
        """The elements that these bytes complete."""
        self._parser.Parse(data, is_last)
        found, self._found = self._found, []
        return found

    def _start(self, name: str, given: dict[str, str]) -> None:
        self._text.append([])
        plain = {key.rsplit(" ", 1)[-1]: value for key, value in given.items()}
        self._found.append(XmlEvent(name.rsplit(" ", 1)[-1], is_end=False, given=plain))

    def _end(self, name: str) -> None:
        self._found.append(XmlEvent(name.rsplit(" ", 1)[-1], is_end=True, text="".join(self._text.pop())))

    def _characters(self, text: str) -> None:
        self._text[-1].append(text)

    def _refuse(self, *_: object) -> None:
        raise ValueError("a workbook has no document type")
