"""Small Excel workbooks for tests, part by part as spreadsheets write them."""

from __future__ import annotations

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
RELATIONS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
STYLES = (
    f'<styleSheet {MAIN}><numFmts><numFmt numFmtId="164" formatCode="00000"/>'
    '<numFmt numFmtId="165" formatCode="dd\\.mm\\.yyyy;@"/>'
    '<numFmt numFmtId="166" formatCode="&quot;day&quot; 0"/></numFmts>'
    '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>'
    '<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs></styleSheet>'
)
PLAIN, DAY, FIVE_DIGITS, OWN_DAY, WORD_AND_NUMBER = range(5)


def number(value: float | str, style: int = PLAIN) -> str:
    """A cell with a number in that style."""
    return f'<c s="{style}"><v>{value}</v></c>'


def text(value: str) -> str:
    """A cell with a text of its own."""
    return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def workbook(path: Path, sheets: dict[str, str], *, shared: str = "", about: str = "", hidden: str = "") -> Path:
    """A workbook whose sheets hold these rows, as XML."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        listed, relations = "", ""
        for at, (name, rows) in enumerate(sheets.items(), 1):
            state = ' state="hidden"' if name == hidden else ""
            listed += f'<sheet name={quoteattr(name)} sheetId="{at}"{state} r:id="rId{at}"/>'
            relations += f'<Relationship Id="rId{at}" Target="worksheets/sheet{at}.xml"/>'
            data = f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>"
            archive.writestr(f"xl/worksheets/sheet{at}.xml", data)
        archive.writestr("xl/workbook.xml", f"<workbook {MAIN} {RELATIONS}>{about}<sheets>{listed}</sheets></workbook>")
        archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{relations}</Relationships>")
        archive.writestr("xl/styles.xml", STYLES)
        if shared:
            archive.writestr("xl/sharedStrings.xml", f"<sst {MAIN}>{shared}</sst>")
    return path


def row(*cells: str) -> str:
    """A row of these cells."""
    return f"<row>{''.join(cells)}</row>"
