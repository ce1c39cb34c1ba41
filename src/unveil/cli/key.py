"""`unveil key`: make a key file, hand the key to the other owners, and compare it with theirs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from unveil.cli.app import app
from unveil.cli.door import notes, print_json, say
from unveil.cli.options import Json

commands = typer.Typer(help="key files: the secret that a project's owners share", no_args_is_help=True)
app.add_typer(commands, name="key")

_REMINDER = "every owner of the project needs this same key, and nobody else may have it: no linkage unit, no reviewer"
_ANOTHER_NAME = "choose another name for the sealed copy"
_OTHER_WAY = "send the passphrase by another way than the file, by telephone say"

PassphraseFile = Annotated[
    Path | None,
    typer.Option(help="file that holds the passphrase, readable by you alone; asked for if not given"),
]
OwnPassphraseFile = Annotated[
    Path | None,
    typer.Option("--passphrase-file", help="file that holds a passphrase of yours, readable by you alone"),
]


@commands.command()
def new(
    file: Annotated[Path, typer.Argument(help="file to make; one that exists is never replaced", show_default=False)],
    *,
    as_json: Json = False,
) -> None:
    """
    Make a key file with a fresh random key, readable by you alone. The key itself is never printed.

    Example: unveil key new project.key
    """
    from unveil.files import key_file as keyfile

    keyfile.new(file)
    if as_json:
        print_json({"file": str(file)})
    else:
        say(f"key written to {file}")
        say(_REMINDER, err=True)


@commands.command()
def export(
    key: Annotated[Path, typer.Argument(help="key file", show_default=False)],
    *,
    out: Annotated[Path, typer.Option(help="file to make; one that exists is never replaced", show_default=False)],
    passphrase_out: Annotated[
        Path | None,
        typer.Option(help="file for the passphrase that is made; shown once on the terminal if not given"),
    ] = None,
    own_passphrase: Annotated[bool, typer.Option("--own-passphrase", help="ask for a passphrase of yours")] = False,
    passphrase_file: OwnPassphraseFile = None,
    as_json: Json = False,
) -> None:
    """
    Seal a key under a passphrase, as a file that can be mailed to another owner.

    The passphrase is made here, six random words, unless you bring one of your own; a weak one is refused.

    Example: unveil key export project.key --out project.sealed --passphrase-out project.words
    """
    from unveil.errors import KeyFileError
    from unveil.files import key_file as keyfile
    from unveil.files import private_file
    from unveil.files import sealed_key as sealed
    from unveil.files.passphrase import check_passphrase

    if (passphrase_file is not None) + own_passphrase + (passphrase_out is not None) > 1:
        raise typer.BadParameter("--passphrase-out, --own-passphrase and --passphrase-file exclude each other")
    secret = keyfile.read(key)
    for file in (out, passphrase_out):  # before anybody types a passphrase for nothing
        if file is not None and (file.exists() or file.is_symlink()):
            raise KeyFileError(f"{file}: exists already", hint=_ANOTHER_NAME)
    if own_passphrase or passphrase_file is not None:
        passphrase = _passphrase(passphrase_file, twice=True)
    else:
        passphrase = _made(passphrase_out)
    check_passphrase(passphrase)
    with notes.status("sealing the key"):
        text = sealed.seal(secret, passphrase)
    private_file.write_new(out, text.encode("ascii"), error=KeyFileError, why_kept=_ANOTHER_NAME)
    if as_json:
        print_json({"file": str(out)})
    else:
        say(f"sealed key written to {out}")
        say(_OTHER_WAY, err=True)


@commands.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="sealed key that another owner exported", show_default=False)],
    *,
    out: Annotated[Path, typer.Option(help="key file to make; one that exists is never replaced", show_default=False)],
    passphrase_file: PassphraseFile = None,
    as_json: Json = False,
) -> None:
    """
    Open a sealed key with its passphrase and make a key file of it, readable by you alone.

    Example: unveil key import project.sealed --out project.key
    """
    from unveil.errors import KeyFileError
    from unveil.files import key_file as keyfile
    from unveil.files import private_file
    from unveil.files import sealed_key as sealed

    hint = "unveil key export makes one"
    # It arrives by mail and is sealed, so who else can read it does not matter.
    text = private_file.read(file, longest=sealed.LONGEST_TEXT + 1, error=KeyFileError, hint=hint, private=False)
    if not sealed.is_sealed(text):
        raise KeyFileError(f"{file}: is not a sealed key of Unveil", hint=hint)
    if out.exists() or out.is_symlink():
        raise KeyFileError(f"{out}: exists already", hint=keyfile.KEPT)
    passphrase = _passphrase(passphrase_file, twice=False)
    with notes.status("opening the key"):
        secret = sealed.open_sealed(text, passphrase)
    keyfile.write(out, secret)
    if as_json:
        print_json({"file": str(out)})
    else:
        say(f"key written to {out}")
        say(_REMINDER, err=True)


@commands.command()
def fingerprint(
    key: Annotated[Path, typer.Argument(help="key file", show_default=False)],
    *,
    project: Annotated[Path, typer.Option(help="project file", show_default=False)],
    as_json: Json = False,
) -> None:
    """
    Print a fingerprint of key, project and schema: the same for all owners, or they would find no links.

    It says nothing about the key.

    Example: unveil key fingerprint project.key --project project.toml
    """
    from unveil.encoding.encoder import Encoder
    from unveil.encoding.keys import OwnerKey
    from unveil.files import key_file as keyfile
    from unveil.projects.project_file import load_draft

    # The parties do not enter into it, so they need not have joined yet.
    loaded = load_draft(project, demonstration=True)
    found = Encoder(loaded.linkage, OwnerKey(keyfile.read(key)), project=loaded.name).fingerprint().hex()
    if as_json:
        print_json({"key": str(key), "project": loaded.name, "fingerprint": found})
    else:
        say(found)
        say("every owner must get the same; it says nothing about the key", err=True)


def _made(file: Path | None) -> str:
    """A new passphrase, written to a file that only this user can read, or shown on the terminal and nowhere else."""
    from unveil.errors import KeyFileError
    from unveil.files import private_file
    from unveil.files.passphrase import new_passphrase

    passphrase = new_passphrase()
    if file is not None:
        private_file.write_new(file, f"{passphrase}\n".encode(), error=KeyFileError, why_kept=_ANOTHER_NAME)
    elif sys.stderr.isatty():
        say(f"passphrase: {passphrase}", err=True)
        say("write it down now: it is shown this once and kept nowhere", err=True)
    else:
        raise KeyFileError(
            "there is no terminal to show the passphrase on", hint="--passphrase-out names a file to write it to"
        )
    return passphrase


def _passphrase(file: Path | None, *, twice: bool) -> str:
    """The passphrase from a file or a prompt: never from an argument, which other users of the machine can see."""
    if file is None:
        return _typed(twice=twice)
    from unveil.errors import KeyFileError
    from unveil.files import private_file
    from unveil.files.passphrase import LONGEST_PASSPHRASE

    hint = "write the passphrase into a file that you alone can read"
    data = private_file.read(file, longest=4 * LONGEST_PASSPHRASE + 2, error=KeyFileError, hint=hint)
    try:
        return data.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise KeyFileError(f"{file}: is not UTF-8 text", hint=hint) from None


def _typed(*, twice: bool) -> str:
    """The passphrase from the terminal, unseen; without a terminal it would be shown, so it is not asked for."""
    import getpass
    import warnings

    from unveil.errors import KeyFileError

    with warnings.catch_warnings():
        warnings.simplefilter("error", getpass.GetPassWarning)
        try:
            typed: str = typer.prompt("Passphrase", hide_input=True, confirmation_prompt=twice, err=True)
        except getpass.GetPassWarning:
            raise KeyFileError(
                "there is no terminal to ask for the passphrase", hint="--passphrase-file names a file that holds it"
            ) from None
    return typed
