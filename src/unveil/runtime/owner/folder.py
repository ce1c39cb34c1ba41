"""An owner's folder made ready: data, key, policy, log and the way to the units."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.errors import InputError, SettingError
from unveil.files import key_file as keyfile
from unveil.files.header import MissingColumns
from unveil.files.read import OwnTable, read_column, read_own
from unveil.projects.membership import Membership, owner_membership
from unveil.projects.owner_config import FILE_NAME, OwnerConfig
from unveil.protocol.roles import Role
from unveil.records import Records
from unveil.roles.owner import policy_file
from unveil.roles.owner.allowance import Caps
from unveil.roles.owner.budget import narrowed_caps
from unveil.roles.owner.machine import Owner
from unveil.roles.owner.policy import Policy
from unveil.roles.owner.policy_file import ConsentList, PolicyFile
from unveil.runtime.assemble import chance_of, join_terms, two_owners
from unveil.runtime.host import Host
from unveil.runtime.owner.fetcher import Fetcher
from unveil.runtime.owner.pause import Pause
from unveil.runtime.worker import Worker, unit_clients
from unveil.schema import Schema
from unveil.schema.most_asked import MostAsked
from unveil.settings.reader import read_text
from unveil.storage.database import Database
from unveil.storage.log.log import ProjectLog
from unveil.transport.http.client import UnitClient
from unveil.transport.http.tls import Credentials, client_context
from unveil.transport.logs import Log, configure

_IN_CONFIG: Final = f"in {FILE_NAME} they stand as id and under [columns]"
_SHOWN: Final = 5  # lines of a consent list that an error names


@dataclass(frozen=True, slots=True)
class OwnerFolder:
    """What an owner works with. `encoder` holds key_do, so this never prints it."""

    config: OwnerConfig
    member: Membership
    own: OwnTable
    policy: Policy
    encoder: Encoder

    @classmethod
    def load(cls, config: OwnerConfig, *, demonstration: bool = False, looking: bool = False) -> OwnerFolder:
        """
        Read and check everything; nothing is sent and nothing is written.

        Whoever only looks at what happened is `looking`, and needs no certificate that is in force.
        """
        member = owner_membership(config, demonstration=demonstration, looking=looking)
        project = member.project
        two_owners(project)
        own = read_own_table(config, member)
        # A seed makes a demonstration that anybody can repeat, keys included: there is nothing to bind them for.
        agreed = project.fingerprint() if config.seed is None else ""
        encoder = Encoder(project.linkage, OwnerKey(keyfile.read(config.key)), project=project.name, agreed=agreed)
        return cls(config, member, own, read_policy(config, member, own.records), encoder)

    @property
    def records(self) -> Records:
        """The owner's records, each attribute in the form that owners compare."""
        return self.own.records

    @property
    def caps(self) -> Caps:
        """The most that may go: by the policy, and never more than the project allows."""
        schema = self.member.project.linkage
        return narrowed_caps(self.policy.caps, MostAsked.of(schema.protocol), len(schema.attributes))

    def check_size(self) -> None:
        """SettingError if the project does not take so many records."""
        limit = self.member.project.limits.records_per_owner
        if len(self.records) > limit:
            raise SettingError(
                f"{len(self.records):,} records, but the project takes {limit:,} of each owner",
                hint="the limit stands in the project file, which all parties share",
            )

    def host(self, database: Database, policy: Callable[[], Policy] | None = None) -> Host[Owner]:
        """The owner's machine on its log, under the policy that was read here or one that may be another later."""
        return self.host_on(database.project(self.member.project.name), policy)

    def host_on(self, log: ProjectLog, policy: Callable[[], Policy] | None = None) -> Host[Owner]:
        """The same on a log that was opened already, perhaps only to be looked at."""

        def build() -> Owner:
            return Owner(
                self.member.address,
                self.records,
                self.member.project.linkage,
                self.encoder,
                policy=policy() if policy is not None else self.policy,
                chance=chance_of(self.member.address, self.config.seed),
                joining=join_terms(self.member.project),
            )

        return Host(build, log, clock=time.time)

    def open(self, *, demonstration: bool = False) -> Database:
        """The owner's database."""
        address = self.member.address
        return Database.open(
            self.config.database, role=address.role_name, identity=address.name, demonstration=demonstration
        )

    def fetcher(self, host: Host[Owner]) -> Fetcher:
        """The owner at work unattended, once it is started; it logs to stderr."""
        log: Log = configure(sys.stderr)
        worker = Worker(self.member.project, host, log, self.clients(), paused=Pause(home(self.config)).is_on)
        return Fetcher(worker, on_refusal=lambda error: log.warning("not taken", error=type(error).__name__))

    def clients(self) -> dict[str, UnitClient]:
        """The way to each unit."""
        return unit_clients(Role.OWNER, self.member.project, credentials(self.config, self.member))

    def client(self, unit: Role, *, timeout: float) -> UnitClient:
        """Another way to one unit, for questions that must not wait for long."""
        return unit_client(self.config, self.member, unit, timeout=timeout)


def load_config(folder: Path, *, demonstration: bool) -> OwnerConfig:
    """The configuration in that folder."""
    if not folder.exists():
        raise SettingError(f"{folder}: no such folder", hint="unveil owner init makes it")
    if folder.is_dir() and not (folder / FILE_NAME).exists():
        raise SettingError(f"{folder}: holds no {FILE_NAME}", hint="unveil owner init makes one")
    return OwnerConfig.load(folder, demonstration=demonstration)


def home(config: OwnerConfig) -> Path:
    """The folder that the owner works in."""
    return config.source.resolve().parent


def credentials(config: OwnerConfig, member: Membership) -> Credentials:
    """What the owner calls units with."""
    return Credentials(config.tls.authority, member.certificate, member.key)


def unit_client(config: OwnerConfig, member: Membership, unit: Role, *, timeout: float) -> UnitClient:
    """The way to one unit, without data and key."""
    tls = client_context(credentials(config, member), server_key=member.project.server_key(unit))
    return UnitClient(member.project.address(unit), tls, member.project.name, timeout=timeout)


def read_own_table(config: OwnerConfig, member: Membership) -> OwnTable:
    """The owner's records, each attribute from the column that the owner's configuration says, and what was found."""
    schema = config.columns.of(member.project.linkage, source=str(config.source))
    try:
        return read_own(config.data, schema, config.reading)
    except MissingColumns as error:
        hint = _column_hint(error, schema) or error.hint
        raise MissingColumns(config.data, error.missing, error.near, hint=hint or "") from None


def _column_hint(error: MissingColumns, schema: Schema) -> str | None:
    """How to say which column is meant: in the owner's configuration, never in the schema that all share."""
    options = {attribute.source: f"--column {attribute.name}=" for attribute in schema.attributes}
    options[schema.input.id] = "--id "
    if not error.near:
        few = len(error.missing) < len(options)
        return f"say which columns they are: unveil owner init --column ATTRIBUTE=COLUMN; {_IN_CONFIG}" if few else None
    found = "; ".join(f"{name} may be the file's {own}" for name, own in error.near.items())
    meant = " ".join(f"{options[name]}{shlex.quote(own)}" for name, own in error.near.items())
    return f"{found}: unveil owner init {meant} says so; {_IN_CONFIG}"


def read_policy(config: OwnerConfig, member: Membership, records: Records) -> Policy:
    """The owner's policy, fitted to its records; without a file, whatever the protocol wishes for goes."""
    if config.policy is None:
        return Policy()
    names = member.project.linkage.names
    return policy_of(
        policy_file.parse(read_text(config.policy), names=names, source=str(config.policy)), config, records
    )


def policy_of(file: PolicyFile, config: OwnerConfig, records: Records) -> Policy:
    """The policy that a policy file stands for, with the consent that is in the owner's data and lists."""
    consent, path = file.consent, config.policy
    if consent is None or path is None:
        return file.settings()
    column = None if consent.column is None else _consent_column(config, consent.column, path)
    known = frozenset(records.ids)
    lists = {one.file: _listed(path.parent / one.file, one, known) for one in consent.lists}
    return file.policy(records.ids, column=column, lists=lists)


def _consent_column(config: OwnerConfig, name: str, policy: Path) -> list[str]:
    """Each record's entry in the consent column. It is the policy that names it, not the schema."""
    try:
        return read_column(config.data, name, config.reading)
    except MissingColumns as error:
        near = error.near.get(name)
        other = f"the file's {near} may be meant" if near else "the file has no column of nearly that name"
        hint = f"{policy} names it as consent.column; {other}"
        raise MissingColumns(config.data, error.missing, error.near, hint=hint) from None


def _listed(path: Path, one: ConsentList, known: Collection[str]) -> list[str]:
    """The ids on a consent list. One that is not in the data is told by its line: ids are personal."""
    if not path.is_file():
        raise InputError(path, "no such file", hint="the policy names it as a consent list")
    lines = [line.strip() for line in read_text(path).splitlines()]
    strange = [number for number, line in enumerate(lines, 1) if line and line not in known]
    if strange and one.not_in_data == "refuse":
        shown = ", ".join(map(str, strange[:_SHOWN])) + (", …" if len(strange) > _SHOWN else "")
        where = f"{'line' if len(strange) == 1 else 'lines'} {shown}"
        raise InputError(
            path,
            f"{len(strange)} of {sum(map(bool, lines))} ids on this consent list are not in the data ({where})",
            hint="compare how ids are written there and in the data, leading zeros for example; if the list covers "
            'more people than this upload, write not_in_data = "ignore" below its layer in the policy',
        )
    return [line for line in lines if line]
