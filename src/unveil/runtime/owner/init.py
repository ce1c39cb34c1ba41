"""A new owner's folder: everything is checked before the configuration is written."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from unveil.errors import Problem, SettingError
from unveil.files.atomic import replacing
from unveil.files.reading import AS_FOUND, Reading
from unveil.projects.authority import check_authority
from unveil.projects.column_mapping import ColumnMapping
from unveil.projects.config_files import missing_file, open_secret
from unveil.projects.owner_config import FILE_NAME, OwnerConfig, owner_text
from unveil.runtime.owner.folder import OwnerFolder
from unveil.runtime.owner.report import OwnerReport
from unveil.settings.reader import ProjectError


@dataclass(frozen=True, slots=True)
class OwnerFiles:
    """What the owner gives, and which columns its records have."""

    project: Path
    data: Path
    key: Path
    certificate: Path
    tls_key: Path
    authority: Path
    policy: Path | None
    columns: ColumnMapping = field(default_factory=ColumnMapping)
    reading: Reading = AS_FOUND

    def problems(self) -> list[Problem]:
        """What is missing or open to everybody, by option: here paths are those that were given."""
        return [
            *missing_file("--project", self.project),
            *missing_file("--data", self.data),
            *missing_file("--key", self.key),
            *missing_file("--certificate", self.certificate),
            *open_secret("--tls-key", self.tls_key),
            *missing_file("--authority", self.authority),
            *([] if self.policy is None else missing_file("--policy", self.policy)),
        ]


@dataclass(frozen=True, slots=True)
class InitReport(OwnerReport):
    """A folder that was begun, and the fingerprints to compare with others."""

    folder: str
    project: str
    owner: str
    records: int
    policy: bool
    fingerprint: str
    project_fingerprint: str
    doubtful_columns: tuple[str, ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def begin(folder: Path, name: str, files: OwnerFiles, *, demonstration: bool) -> OwnerFolder:
    """Write `unveil.toml` into the folder, unless anything is wrong with what it names; it is never replaced."""
    target = folder / FILE_NAME
    if target.exists() or target.is_symlink():
        raise SettingError(
            f"{target}: exists already",
            hint="an owner's configuration is never replaced; edit it, or choose another folder",
        )
    problems = files.problems()
    if problems:
        mend = next((each.allowed for each in problems if "chmod" in each.allowed), None)
        first, *others = (f"{each.key} {each.what}" for each in problems)
        raise SettingError(first, hint=mend, details=others)
    made = _make(folder)
    try:
        with replacing(target, overwrite=False) as temporary:
            temporary.write_text(_text(folder.resolve(), name, files), encoding="utf-8")
            begun = _checked(temporary, target, demonstration=demonstration)
            check_authority(files.certificate, files.authority)
            return begun
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


def _text(folder: Path, name: str, files: OwnerFiles) -> str:
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
        columns=files.columns,
        reading=files.reading,
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
