"""
A warm process that forks the parties of a trial, so that starting one takes milliseconds instead of seconds.

Run as a program it reads commands from stdin, one JSON object a line, and answers each with one on stdout:

    {"do": "start", "party": P, "root": FOLDER, …}   {"pid": N}
    {"do": "signal", "pid": N, "signal": S}          {"code": C}   once the process has ended
    {"do": "poll", "pids": [N, …]}                   {"codes": {N: C}}   of those that have ended

A child is a process of its own and does what `unveil serve` or an owner's process does. The zygote has no thread, no
open database and no TLS context when it forks. It alone waits for its children, so a pid stays theirs until it is told.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

PARTY_FAILED: Final = 1  # with a message for a person
PARTY_BROKE: Final = 70  # with a traceback: a defect
_PR_SET_PDEATHSIG: Final = 1


def main() -> None:
    """Warm up, then serve commands until stdin ends."""
    warm_up()
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    children: set[int] = set()
    print(json.dumps({"ready": os.getpid()}), file=answer, flush=True)
    for line in sys.stdin:
        print(json.dumps(_obey(json.loads(line), children)), file=answer, flush=True)
    for pid in children:
        os.kill(pid, signal.SIGKILL)


def _obey(command: dict[str, Any], children: set[int]) -> dict[str, Any]:
    if command["do"] == "start":
        pid = _fork(command)
        children.add(pid)
        return {"pid": pid}
    if command["do"] == "poll":
        codes = {pid: _code(pid, os.WNOHANG, children) for pid in command["pids"]}
        return {"codes": {pid: code for pid, code in codes.items() if code is not None}}
    os.kill(command["pid"], command["signal"])
    return {"code": _code(command["pid"], 0, children)}


def _code(pid: int, options: int, children: set[int]) -> int | None:
    """The exit code of a child that has ended, which is forgotten then; None while it runs."""
    found, status = os.waitpid(pid, options)
    if not found:
        return None
    children.discard(pid)
    return os.waitstatus_to_exitcode(status)


def warm_up() -> None:
    """Import everything and let a small linkage compile what is compiled, in this one thread."""
    import small_trial
    import sudden_death
    import wire_tap

    import unveil.lab.local_parties.owner_process
    import unveil.roles.owner.machine
    import unveil.runtime.owner.folder
    import unveil.runtime.serve
    import unveil.transport.http.server

    with tempfile.TemporaryDirectory() as root:
        small_trial.new_trial(Path(root) / "warm", seed=1, people=60, schema=small_trial.small_schema(batches=(6, 6)))
    unveil.roles.owner.machine.PART = small_trial.PART
    sudden_death.install()
    wire_tap.install()
    tasks = len(list(Path("/proc/self/task").iterdir()))
    if tasks != 1:
        raise RuntimeError(f"{tasks} threads run before the first fork; each child would miss all but one of them")
    gc.collect()
    gc.freeze()  # what is shared stays shared


def _fork(command: dict[str, Any]) -> int:
    party, root, parent = command["party"], Path(command["root"]), os.getpid()
    pid = os.fork()
    if pid:
        return pid
    code = PARTY_BROKE
    try:
        _become_a_process(root / party / "stderr.log", parent)
        if command["bound"]:
            bind_to_permissions()
        _sudden_death(command["chance"], command["seed"])
        code = _run(party, root)
    except BaseException:  # noqa: BLE001 - the child ends here, whatever it is
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _become_a_process(errors: Path, parent: int) -> None:
    """Die with the zygote; own streams, signals and limits."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(PARTY_BROKE)
    nothing = os.open(os.devnull, os.O_RDWR)
    log = os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for number, handle in enumerate((nothing, nothing, log)):
        os.dup2(handle, number)
    for handle in range(3, 64):  # the pipe to the test among them
        try:
            os.close(handle)
        except OSError:
            continue
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def bind_to_permissions() -> None:
    """Give up root's power to write where permissions forbid it; others never had it."""
    # linux/capability.h, version 3: two words of 32 capabilities, each as effective, permitted, inheritable.
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    held = (ctypes.c_uint32 * 6)()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.capget(header, held):
        raise OSError(ctypes.get_errno(), "capget")
    for word in range(3):
        held[word] &= ~0b1110  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER
    if libc.capset(header, held):
        raise OSError(ctypes.get_errno(), "capset")


def _sudden_death(chance: float, seed: int) -> None:
    import sudden_death

    sudden_death.live_dangerously(chance, seed)


def _run(party: str, root: Path) -> int:
    import wire_tap

    from unveil.errors import UnveilError
    from unveil.lab.local_parties.folder import UNIT_FOLDERS, Trial

    trial = Trial(root)
    wire_tap.open_tap(root / "wire.jsonl", party)
    run: Callable[[Trial, str], None] = _serve if party in UNIT_FOLDERS else _run_owner
    try:
        run(trial, party)
    except UnveilError as error:
        sys.stderr.write(f"unveil: error: {error.message}\nhint: {error.hint}\n")
        return PARTY_FAILED
    return 0


def _serve(trial: Any, party: str) -> None:
    from unveil.lab.local_parties.folder import UNIT_FOLDERS
    from unveil.projects.unit_config import UnitConfig
    from unveil.runtime.serve import serve_unit

    config = UnitConfig.load(trial.config(party), demonstration=True)
    serve_unit(UNIT_FOLDERS[party], config, demonstration=True, on_ready=lambda _host, _port: None)


def _run_owner(trial: Any, party: str) -> None:
    from unveil.lab.local_parties.owner_process import work

    work(trial.config(party), threading.Event())


if __name__ == "__main__":
    main()
