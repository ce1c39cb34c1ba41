"""An owner's folder made ready: data, key, policy, log and the way to the units."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from unveil.encoding.encoder import Encoder
from unveil.encoding.keys import OwnerKey
from unveil.errors import InputError
from unveil.owner import policy_file
from unveil.owner.machine import Owner
from unveil.owner.policy import Policy
from unveil.party.assemble import chance_of, two_owners
from unveil.party.errand import Errand
from unveil.party.host import Host
from unveil.party.seat import Seat, unit_clients
from unveil.projects.membership import Membership, owner_membership
from unveil.projects.owner_config import OwnerConfig
from unveil.projects.settings_file import read_text
from unveil.protocol.roles import Role
from unveil.records import Records
from unveil.storage import keyfile
from unveil.storage.database import Database
from unveil.storage.log import ProjectLog
from unveil.tables.read import read_column, read_records
from unveil.transport.client import UnitClient
from unveil.transport.logs import Log, configure
from unveil.transport.tls import Credentials


@dataclass(frozen=True, slots=True)
class OwnerFolder:
    """What an owner works with. `encoder` holds key_do, so this never prints it."""

    config: OwnerConfig
    member: Membership
    records: Records
    policy: Policy
    encoder: Encoder

    @classmethod
    def load(cls, config: OwnerConfig, *, demonstration: bool = False) -> OwnerFolder:
        """Read and check everything; nothing is sent and nothing is written."""
        member = owner_membership(config, demonstration=demonstration)
        project = member.project
        two_owners(project)
        records = read_records(config.data, project.linkage)
        encoder = Encoder(project.linkage, OwnerKey(keyfile.read(config.key)), project=project.name)
        return cls(config, member, records, read_policy(config, member, records), encoder)

    def host(self, database: Database) -> Host[Owner]:
        """The owner's machine on its log."""
        return self.host_on(database.project(self.member.project.name))

    def host_on(self, log: ProjectLog) -> Host[Owner]:
        """The same on a log that was opened already, perhaps only to be looked at."""

        def build() -> Owner:
            return Owner(
                self.member.address,
                self.records,
                self.member.project.linkage,
                self.encoder,
                policy=self.policy,
                chance=chance_of(self.member.address, self.config.seed),
            )

        return Host(build, log, clock=time.time)

    def open(self, *, demonstration: bool = False) -> Database:
        """The owner's database."""
        address = self.member.address
        return Database.open(
            self.config.database, role=address.role_name, identity=address.name, demonstration=demonstration
        )

    def errand(self, host: Host[Owner]) -> Errand:
        """The owner at work, once it is started; it logs to stderr."""
        log: Log = configure(sys.stderr)
        seat = Seat(self.member.project, host, log, self.clients())
        return Errand(seat, on_refusal=lambda error: log.warning("not taken", error=type(error).__name__))

    def clients(self) -> dict[str, UnitClient]:
        """The way to each unit."""
        project = self.member.project
        own = Credentials(self.config.tls.authority, self.member.certificate, self.member.key)
        return unit_clients(Role.OWNER, project, own)


def read_policy(config: OwnerConfig, member: Membership, records: Records) -> Policy:
    """The owner's policy, fitted to its records; without a file, whatever the protocol wishes for goes."""
    if config.policy is None:
        return Policy()
    names = member.project.linkage.names
    file = policy_file.parse(read_text(config.policy), names=names, source=str(config.policy))
    consent = file.consent
    column = None if consent is None or consent.column is None else read_column(config.data, consent.column)
    lists = {}
    for one in consent.lists if consent is not None else ():
        path = config.policy.parent / one.file
        if not path.is_file():
            raise InputError(path, "no such file", hint="the policy names it as a consent list")
        lists[one.file] = [line.strip() for line in read_text(path).splitlines() if line.strip()]
    return file.policy(records.ids, column=column, lists=lists)
