"""Disks, folders, databases and certificates: what units and owners have in common."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from unveil.errors import NoLogError, SettingError, UnveilError
from unveil.files.private_file import check_folder, check_private
from unveil.projects.authority import check_authority
from unveil.projects.certificates import read_certificate
from unveil.projects.config_files import Tls
from unveil.projects.own_certificate import SOON
from unveil.runtime.doctor.diagnosis import Diagnosis, fine, note, refused, wrong
from unveil.storage.database import Database
from unveil.transport.http.tls import Credentials, client_context

_SQLITE: Final = "sqlite:///"
_GIB: Final = 1 << 30
_LEAST: Final = _GIB // 4
_ENOUGH: Final = 2 * _GIB


def disk(folder: Path, *, free: int | None = None) -> Diagnosis:
    """Whether there is room where a party writes."""
    free = shutil.disk_usage(nearest(folder)).free if free is None else free
    said = f"{free / _GIB:.1f} GiB free at {nearest(folder)}"
    if free < _LEAST:
        return wrong("disk", said, "make room; a party that cannot write acknowledges nothing")
    if free < _ENOUGH:
        return note("disk", said, "make room before records are uploaded")
    return fine("disk", said)


def nearest(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    path = path.absolute()
    return next(each for each in (path, *path.parents) if each.exists())


def folder(check: str, path: Path) -> Iterator[Diagnosis]:
    """Whether this user can write into a folder, or make it, and nobody else can."""
    there = nearest(path)
    if not there.is_dir():
        yield wrong(check, f"{there}: is not a folder", "name a folder")
    elif not os.access(there, os.W_OK | os.X_OK):
        cure = f"give it to the user that runs this: chown it, or name another folder than {path}"
        yield wrong(check, f"{there}: this user cannot write there", cure)
    else:
        try:
            check_folder(there, error=SettingError)
        except SettingError as error:
            if there == path:
                yield from refused(check, error)
                return
        yield fine(check, str(path) if there == path else f"{path}, which is made at the first start")


def database(url: str, *, role: str) -> Iterator[Diagnosis]:
    """Whether the database can be used, and is this party's."""
    if url.startswith(_SQLITE):
        path = Path(url.removeprefix(_SQLITE))
        if not path.exists():
            yield from folder("database", path.parent)
            return
        check_private(path, error=SettingError)
        if not os.access(path, os.W_OK):
            yield wrong("database", f"{path}: this user cannot write it", f"give it to the user that runs this: {path}")
            return
    try:
        with Database.inspect(url) as found:
            roles = {log.role for log in found.logs()}
    except NoLogError:
        yield fine("database", "is empty; tables are made at the first start")
        return
    others = sorted(roles - {role})
    if others:
        cure = "give every party a database of its own"
        yield wrong("database", f"belongs to the {others[0]}, this is the {role}", cure)
    else:
        yield fine("database", "can be read" if roles else "holds no project yet")


def certificate(tls: Tls) -> Iterator[Diagnosis]:
    """Whether certificate, key and authority belong together, and how long the certificate holds."""
    found = read_certificate(tls.certificate)
    client_context(Credentials(tls.authority, tls.certificate, tls.key))
    check_authority(tls.certificate, tls.authority)
    yield until("certificate", tls.certificate, datetime.now(UTC))
    if not found.valid(datetime.now(UTC)):
        return
    yield fine("authority", f"{tls.authority} signed it")


def until(check: str, path: Path, now: datetime) -> Diagnosis:
    """How long a certificate holds."""
    found = read_certificate(path)
    renew = "have it renewed with the same key, which changes nothing for anybody else"
    if now < found.not_before:
        return wrong(check, f"{path}: begins at {found.not_before:%Y-%m-%d %H:%M} UTC", "is the clock right?")
    if now > found.not_after:
        return wrong(check, f"{path}: ended at {found.not_after:%Y-%m-%d %H:%M} UTC", renew)
    said = f"{path}: holds until {found.not_after:%Y-%m-%d}, {(found.not_after - now).days} days"
    return note(check, said, renew) if found.not_after - now < SOON else fine(check, said)


def secret(check: str, path: Path) -> Iterator[Diagnosis]:
    """Whether a file that may hold a secret is closed to others."""
    try:
        check_private(path, error=SettingError)
    except UnveilError as error:
        yield from refused(check, error)
    else:
        yield fine(check, f"{path}: nobody else can read it")
