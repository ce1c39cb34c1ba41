"""An Excel workbook with one sheet, as small as a spreadsheet program still opens it."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

_NAMES: Final = "http://schemas.openxmlformats.org"
_MAIN: Final = f'xmlns="{_NAMES}/spreadsheetml/2006/main"'
_OF_OFFICE: Final = f"{_NAMES}/officeDocument/2006/relationships"
_OF_PACKAGE: Final = f"{_NAMES}/package/2006"
_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_TYPES: Final = (
    f'<Types xmlns="{_OF_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>'
)
_WORKBOOK: Final = (
    f'<workbook {_MAIN} xmlns:r="{_OF_OFFICE}"><sheets>'
    '<sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>'
)


def write_workbook(path: Path, rows: Sequence[Sequence[str]], *, numbers: Collection[str] = ()) -> None:
    """Write a workbook of these rows, the header first; cells of the columns in `numbers` hold numbers, others text."""
    as_number = [name in numbers for name in rows[0]]
    cells = [_row(rows[0], [False] * len(as_number)), *(_row(row, as_number) for row in rows[1:])]
    sheet = f"<worksheet {_MAIN}><sheetData>{''.join(cells)}</sheetData></worksheet>"
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _relation("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": _WORKBOOK,
        "xl/_rels/workbook.xml.rels": _relation("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": sheet,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            # A day that every machine writes: the same rows make the same file.
            archive.writestr(zipfile.ZipInfo(name), f'<?xml version="1.0" encoding="UTF-8"?>{text}')


def _relation(kind: str, target: str) -> str:
    relation = f'<Relationship Id="rId1" Type="{_OF_OFFICE}/{kind}" Target="{target}"/>'
    return f'<Relationships xmlns="{_OF_PACKAGE}/relationships">{relation}</Relationships>'


def _row(cells: Sequence[str], as_number: Sequence[bool]) -> str:
    return f"<row>{''.join(_cells(cells, as_number))}</row>"


def _cells(cells: Sequence[str], as_number: Sequence[bool]) -> Iterator[str]:
    for cell, is_number in zip(cells, as_number, strict=True):
        if is_number or not cell:
            yield f"<c><v>{cell}</v></c>" if cell else "<c/>"
        else:
            yield f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
