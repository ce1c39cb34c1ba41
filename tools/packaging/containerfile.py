"""
The Containerfile as a script that does its steps in a clean root, for machines on which nothing builds images.

A stage is a folder with this machine's /usr, read-only and without /usr/local, and an /etc, /opt and /var of its own;
its steps run there by chroot, in a mount namespace that is gone afterwards. In the end the root is made read-only and
what a person does first is done in it as the image's user, who can write to the image's volume and /tmp alone.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.packaging.bare import JOURNEY, LEFT_BEHIND
from tools.packaging.distributions import ROOT

CONTAINERFILE = ROOT / "Containerfile"
_PREPARE = """\
set -eu
make_root() {
  root=$1
  for name in build dev etc home opt proc root run tmp usr var/lib var/tmp; do mkdir -p "$root/$name"; done
  for name in bin sbin lib lib32 lib64; do
    if [ -L "/$name" ]; then cp -P "/$name" "$root/$name"
    elif [ -d "/$name" ]; then mkdir "$root/$name"; mount --bind "/$name" "$root/$name"; fi
  done
  mount --bind /usr "$root/usr"
  mkdir "$root/run/nothing"
  mount --bind "$root/run/nothing" "$root/usr/local"
  mount -o remount,bind,ro "$root/usr"
  for name in ld.so.cache ld.so.conf ld.so.conf.d ssl ca-certificates resolv.conf hosts nsswitch.conf login.defs \\
    default alternatives; do
    [ ! -e "/etc/$name" ] || cp -RL "/etc/$name" "$root/etc/" 2> /dev/null || true
  done
  echo root:x:0:0:root:/root:/bin/sh > "$root/etc/passwd"
  printf 'root:x:0:\\n' > "$root/etc/group"
  for name in null zero random urandom; do : > "$root/dev/$name"; mount --bind "/dev/$name" "$root/dev/$name"; done
  chmod 1777 "$root/tmp" "$root/var/tmp"
  for path in ${FETCHED_FROM:-}; do
    if [ -d "$path" ]; then mkdir -p "$root$path"; else mkdir -p "$(dirname "$root$path")"; : > "$root$path"; fi
    mount --bind "$path" "$root$path"
  done
}
"""


@dataclass(slots=True)
class ImageStage:
    """One FROM and what follows it, as far as the Containerfile uses the language."""

    name: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def last(self, word: str) -> str | None:
        """What the last instruction of that name says."""
        return next((rest for said, rest in reversed(self.steps) if said == word), None)

    def environment(self) -> dict[str, str]:
        """What ENV says in all."""
        words = [word for said, rest in self.steps if said == "ENV" for word in shlex.split(rest)]
        return dict(word.split("=", 1) for word in words)


def stages(text: str) -> list[ImageStage]:
    """The stages of a Containerfile; ValueError where it says something that is not understood here."""
    joined = re.sub(r"\\\n\s*", "", "\n".join(line for line in text.splitlines() if not line.startswith("#")))
    found: list[ImageStage] = []
    for line in filter(None, map(str.strip, joined.splitlines())):
        word, _, rest = line.partition(" ")
        if word == "ARG" and not found:
            continue
        if word == "FROM":
            found.append(ImageStage(rest.partition(" AS ")[2] or "final"))
        elif word in {"RUN", "COPY", "ENV", "USER", "WORKDIR", "VOLUME", "ENTRYPOINT", "CMD", "HEALTHCHECK"} | {
            "EXPOSE", "STOPSIGNAL",
        }:  # fmt: skip
            found[-1].steps.append((word, rest.strip()))
        else:
            raise ValueError(f"{word}: not understood")
    return found


def script(text: str, root: Path, context: Path = ROOT) -> str:
    """A shell script, for root in a mount namespace of its own, that does all steps and then works with the result."""
    found = stages(text)
    lines = [_PREPARE]
    for stage in found:
        lines += [f"echo '== {stage.name}'", f"make_root {shlex.quote(str(root / stage.name))}"]
        lines += _steps(stage, root, context)
    return "\n".join([*lines, *_work(found[-1], root)]) + "\n"


def _steps(stage: ImageStage, root: Path, context: Path) -> Iterator[str]:
    here, place = root / stage.name, "/"
    for word, rest in stage.steps:
        if word == "WORKDIR":
            place = rest
            yield f"mkdir -p {shlex.quote(f'{here}{rest}')}"
        elif word == "RUN":
            yield f"echo {shlex.quote(f'RUN {rest}'[:100])}"
            yield _inside(here, place, rest, ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root"])
        elif word == "COPY":
            yield _copied(rest.split(), here, place, root, context)


def _copied(words: Sequence[str], here: Path, place: str, root: Path, context: Path) -> str:
    *sources, target = [word for word in words if not word.startswith("--")]
    stage = next((word.partition("=")[2] for word in words if word.startswith("--from=")), None)
    base = context if stage is None else root / stage
    into = f"{here}{target}" if target.startswith("/") else f"{here}{place}/{target}"
    found = " ".join(f"{shlex.quote(str(base))}/{source.lstrip('/')}" for source in sources)  # a shell's pattern stays
    return f"cp -a {found} {shlex.quote(into)}"


def _work(stage: ImageStage, root: Path) -> Iterator[str]:
    here, volume = root / stage.name, stage.last("VOLUME")
    user = stage.last("USER")
    assert user is not None
    assert volume is not None
    yield f"mount --bind {here} {here}.read-only && mount -o remount,bind,ro {here}.read-only"
    yield f"mount --rbind {here}/usr {here}.read-only/usr"
    yield f"mount --rbind {here}/dev {here}.read-only/dev"
    for kept_place in (volume, "/tmp"):  # noqa: S108 - of the clean root
        yield f"mount --bind {here}{kept_place} {here}.read-only{kept_place}"
    told = [f"{name}={value}" for name, value in {**stage.environment(), "HOME": volume}.items()]
    entry = " ".join(json.loads(stage.last("ENTRYPOINT") or "[]"))
    closed = Path(f"{here}.read-only")
    yield _inside(closed, volume, "! touch /opt/unveil/x 2> /dev/null && ! touch /etc/x 2> /dev/null", told, user)
    for words in JOURNEY:
        said = shlex.join([entry, *words])
        yield f"echo {shlex.quote(said)}"
        yield _inside(closed, volume, said, told, user)
    for name in LEFT_BEHIND:
        yield _inside(closed, volume, f"test -s {shlex.quote(name)}", told, user)


def _inside(root: Path, place: str, command: str, told: Sequence[str], user: str | None = None) -> str:
    as_user = "" if user is None else f"--userspec={user} --groups= "
    words = shlex.join(["/usr/bin/env", "-i", *told])
    pip = "" if user is not None else ' ${PIP_TOLD:+"$PIP_TOLD"}'
    within = shlex.quote(f"cd {place} && {command}")
    return f"chroot {as_user}{shlex.quote(str(root))} {words}{pip} /bin/sh -euc {within}"
