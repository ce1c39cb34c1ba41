"""`unveil pki`: a small certificate authority for trials."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import print_json, say
from unveil.cli.options import Json

if TYPE_CHECKING:
    from unveil.projects.certificates import Certificate
    from unveil.projects.pki import Issued

commands = typer.Typer(help="certificates for trials: a small authority of one's own", no_args_is_help=True)
app.add_typer(commands, name="pki")


@commands.command()
def new(
    folder: Annotated[
        Path, typer.Argument(help="folder of the authority; made if it is not there", show_default=False)
    ],
    *,
    days: Annotated[int, typer.Option(help="days until it expires")] = 730,
    as_json: Json = False,
) -> None:
    """
    Make a certificate authority: authority.pem, which every party needs, and authority.key, which none needs.

    Example: unveil pki new trial-ca
    """
    from unveil.projects.pki import new_authority

    _report(new_authority(folder, days=days), as_json=as_json)


@commands.command()
def issue(
    folder: Annotated[Path, typer.Argument(help="folder of the authority", show_default=False)],
    name: Annotated[str, typer.Argument(help="name of the party and of its files", show_default=False)],
    *,
    host: Annotated[
        list[str] | None,
        typer.Option(
            help="host name or numeric address under which a unit is reached; may be repeated; "
            "127.0.0.1 and localhost if not given"
        ),
    ] = None,
    days: Annotated[int, typer.Option(help="days until it expires")] = 90,
    as_json: Json = False,
) -> None:
    """
    Issue a certificate and a private key to one party; existing ones are never replaced.

    Example: unveil pki issue trial-ca record-unit --host unit.example.org
    """
    from unveil.projects import pki

    _report(pki.issue(folder, name, hosts=tuple(host or pki.LOOPBACK), days=days), as_json=as_json)


@commands.command()
def show(
    certificate: Annotated[Path, typer.Argument(help="certificate (PEM or DER)", show_default=False)],
    *,
    as_json: Json = False,
) -> None:
    """
    Show a certificate: whose it is, how long it holds, and the public key that the project file lists.

    Example: unveil pki show trial-ca/record-unit.pem
    """
    from unveil.projects.certificates import read_certificate

    found, now = read_certificate(certificate), datetime.now(UTC)
    if as_json:
        print_json(
            {
                "file": str(certificate),
                "subject": found.subject,
                "issuer": found.issuer,
                "not_before": found.not_before.isoformat(),
                "not_after": found.not_after.isoformat(),
                "valid": found.valid(now),
                "hosts": list(found.hosts),
                "authority": found.authority,
                "public_key": found.public_key,
            }
        )
        return
    say(f"subject     {found.subject}")
    say(f"issuer      {found.issuer}")
    say(f"valid       {validity(found, now)}")
    say(f"hosts       {', '.join(found.hosts) or 'none'}")
    say(f"kind        {'authority' if found.authority else 'party'}")
    say(f"public key  {found.public_key}")


def validity(certificate: Certificate, now: datetime) -> str:
    """From when to when a certificate holds, and how that stands now."""
    days = (certificate.not_after - now).days
    state = f"{days} days left" if certificate.valid(now) else "EXPIRED" if days < 0 else "NOT YET"
    return f"{certificate.not_before:%Y-%m-%d} to {certificate.not_after:%Y-%m-%d} ({state})"


def _report(issued: Issued, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "certificate": str(issued.certificate),
                "key": str(issued.key),
                "public_key": issued.public_key,
                "not_after": issued.not_after.isoformat(),
            }
        )
        return
    say(f"certificate  {issued.certificate} (expires {issued.not_after:%Y-%m-%d})")
    say(f"private key  {issued.key} (never leaves its owner)")
    say(f"public key   {issued.public_key}")
