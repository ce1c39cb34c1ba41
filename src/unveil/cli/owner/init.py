"""A new owner's folder: everything is checked before the configuration is written."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from unveil.errors import SettingError
from unveil.party.at_owner import OwnerFolder
from unveil.projects.certificates import Certificate, read_certificate
from unveil.projects.owner_config import FILE_NAME, OwnerConfig, owner_text
from unveil.projects.settings_file import ProjectError
from unveil.tables.atomic import replacing


@dataclass(frozen=True, slots=True)
class Files:
    """What the owner gives."""

    project: Path
    data: Path
    key: Path
    certificate: Path
    tls_key: Path
    authority: Path
    policy: Path | None


def begin(folder: Path, name: str, files: Files, *, demonstration: bool) -> OwnerFolder:
    """Write `unveil.toml` into the folder, unless anything is wrong with what it names; it is never replaced."""
    target = folder / FILE_NAME
    if target.exists() or target.is_symlink():
        raise SettingError(
            f"{target}: exists already",
            hint="an owner's configuration is never replaced; edit it, or choose another folder",
        )
    made = _make(folder)
    try:
        with replacing(target, overwrite=False) as temporary:
            temporary.write_text(_text(folder.resolve(), name, files), encoding="utf-8")
            return _checked(temporary, target, demonstration=demonstration)
    except BaseException:
        if made:
            with suppress(OSError):  # somebody put something into it meanwhile
                folder.rmdir()
        raise


def _make(folder: Path) -> bool:
    """Make the folder if it is not there; whether it was made."""
    try:
        folder.mkdir(mode=0o700, parents=True)
    except FileExistsError:
        if not folder.is_dir():
            raise SettingError(f"{folder}: is not a folder") from None
        return False
    except OSError as error:
        raise SettingError(f"{folder}: cannot be made: {error.strerror}") from None
    return True


def _text(folder: Path, name: str, files: Files) -> str:
    def beside(path: Path) -> str:
        try:
            return os.path.relpath(path, folder)
        except ValueError:  # on another drive
            return str(path.absolute())

    return owner_text(
        project=beside(files.project),
        name=name,
        data=beside(files.data),
        key=beside(files.key),
        tls=(beside(files.certificate), beside(files.tls_key), beside(files.authority)),
        policy=None if files.policy is None else beside(files.policy),
    )


def _checked(temporary: Path, target: Path, *, demonstration: bool) -> OwnerFolder:
    """The folder, with everything in it read as the other commands read it."""
    try:
        folder = OwnerFolder.load(OwnerConfig.load(temporary, demonstration=demonstration), demonstration=demonstration)
    except ProjectError as error:
        if error.source != str(temporary):
            raise
        raise ProjectError(str(target), error.problems, hint=error.hint) from None
    for client in folder.clients().values():  # the private key must fit the certificate
        client.close()
    return folder


def out_of_force(folder: OwnerFolder) -> Certificate | None:
    """The owner's certificate if it does not hold now."""
    found = read_certificate(folder.member.certificate)
    return None if found.valid(datetime.now(UTC)) else found
