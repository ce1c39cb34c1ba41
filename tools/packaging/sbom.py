"""
What is inside: a software bill of materials in SPDX 2.3, of the wheel and its pinned requirements.

Names, versions and hashes are those of the pinned file, and nothing else is taken for true: licences and who depends on
whom are what the installed packages say of themselves, and NOASSERTION where they do not say it in SPDX's terms or are
not installed here, as those for other systems. The same commit gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from license_expression import get_spdx_licensing

import unveil
from tools.packaging.distributions import ROOT, source_time

#: What is listed: the pinned file, and what the bill of it is called.
BILLS: Final = {"run": "unveil", "unit": "unveil-unit"}
_UNKNOWN: Final = "NOASSERTION"
_PIN: Final = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?==(?P<version>[^\s;]+)(?:\s*;\s*(?P<marker>.*))?")
_HASH: Final = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_NAMED: Final = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class PinnedPackage:
    """One line of a file of pinned requirements, with its hashes: one for each file in which it is handed out."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]

    @property
    def reference(self) -> str:
        """Its id in the bill."""
        return f"SPDXRef-{self.name.replace('_', '-')}-{re.sub(r'[^A-Za-z0-9.-]', '-', self.version)}"


def pinned(text: str) -> list[PinnedPackage]:
    """The packages of a file of pinned requirements; ValueError for a line that is no pin, or has no hash."""
    found = []
    for entry in re.sub(r"\\\n\s*", "", text).splitlines():
        if not entry.strip() or entry.startswith("#"):
            continue
        line, _, rest = entry.partition(" --hash=")
        match, hashes = _PIN.fullmatch(line.strip()), _HASH.findall(f"--hash={rest}")
        if match is None or not hashes:
            raise ValueError(f"not pinned, or without a hash: {line.strip()}")
        found.append(PinnedPackage(match["name"], match["version"], match["marker"] or "", tuple(hashes)))
    return found


def bill(name: str, packages: Sequence[PinnedPackage], wheel: Path) -> dict[str, Any]:
    """The bill of materials as data."""
    created = datetime.fromtimestamp(source_time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    own = _own(wheel)
    listed = [own, *map(_listed, packages)]
    relations = [_relation("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [_relation(own["SPDXID"], "DEPENDS_ON", each.reference) for each in _needed("unveil", packages)]
    for package in packages:
        relations += [_relation(package.reference, "DEPENDS_ON", o.reference) for o in _needed(package.name, packages)]
    parts = {"packages": listed, "relationships": relations}
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{unveil.__version__}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, digest)}",
        "creationInfo": {"created": created, "creators": [f"Tool: unveil-sbom-{unveil.__version__}"]},
        **parts,
    }


def write(folder: Path, wheel: Path, root: Path = ROOT) -> list[Path]:
    """Write the bills into the folder."""
    written = []
    for file, name in BILLS.items():
        packages = pinned((root / "requirements" / f"{file}.txt").read_text(encoding="utf-8"))
        target = folder / f"{name}-{unveil.__version__}.spdx.json"
        target.write_text(json.dumps(bill(name, packages, wheel), indent=2) + "\n", encoding="utf-8")
        written.append(target)
    return written


def _own(wheel: Path) -> dict[str, Any]:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    return {
        **_package("SPDXRef-unveil", "unveil", unveil.__version__, "Apache-2.0"),
        "packageFileName": wheel.name,
        "primaryPackagePurpose": "APPLICATION",
        "licenseConcluded": "Apache-2.0",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }


def _listed(package: PinnedPackage) -> dict[str, Any]:
    found = _package(package.reference, package.name, package.version, _licence(package.name))
    found["primaryPackagePurpose"] = "LIBRARY"
    found["checksums"] = [{"algorithm": "SHA256", "checksumValue": value} for value in package.hashes]
    found["externalRefs"] = [
        {
            "referenceCategory": "PACKAGE-MANAGER",
            "referenceType": "purl",
            "referenceLocator": f"pkg:pypi/{package.name.lower().replace('_', '-')}@{package.version}",
        }
    ]
    if package.marker:
        found["comment"] = f"installed only where {package.marker}"
    return found


def _package(reference: str, name: str, version: str, licence: str) -> dict[str, Any]:
    return {
        "SPDXID": reference,
        "name": name,
        "versionInfo": version,
        "downloadLocation": _UNKNOWN,
        "filesAnalyzed": False,
        "licenseDeclared": licence,
        "licenseConcluded": _UNKNOWN,
        "copyrightText": _UNKNOWN,
    }


def _licence(name: str) -> str:
    """The licence that an installed package declares, if it is an expression of SPDX."""
    try:
        found = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return _UNKNOWN
    licensing = _licensing()
    for said in (found["License-Expression"], found["License"]):
        if said and "\n" not in said and not licensing.validate(said).errors:
            return str(licensing.parse(said))
    return _UNKNOWN


@cache
def _licensing() -> Any:
    """The licences that SPDX knows; to read them takes a second."""
    return get_spdx_licensing()


def _needed(name: str, packages: Sequence[PinnedPackage]) -> Iterator[PinnedPackage]:
    """Of these packages, those that an installed one says that it needs; of extras, none."""
    try:
        said = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return
    names = {_plain(match[0]) for line in said if "extra" not in line and (match := _NAMED.match(line))}
    if name == "unveil" and any(_plain(each.name) == "psycopg" for each in packages):
        names.add("psycopg")  # of the extra that units with PostgreSQL are installed with
    yield from (each for each in packages if _plain(each.name) in names and _plain(each.name) != _plain(name))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _relation(of: str, kind: str, to: str) -> dict[str, str]:
    return {"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to}
