"""The posture of this machine, measured independently of the daemon."""

import grp
import os
import platform
import pwd
import re
import stat
import subprocess
from pathlib import Path

EFI = Path("/sys/firmware/efi/efivars")
CIPHERS = r"CRYPT-(LUKS|PLAIN-|BITLK-|TCRYPT-|FVAULT2-|LOOPAES-)"
TRANSPARENT = r"LVM-|mpath-|part|CRYPT-(VERITY|INTEGRITY|SUBDEV)-"


def measured(program, state, user=0):
    """Returns the expected posture for a program of a user and its state."""
    release = platform.freedesktop_os_release()
    return {
        "os": {
            "id": release["ID"],
            "version": release.get("VERSION_ID", "unknown"),
            "kernel": os.uname().release,
        },
        "secureBoot": _secure_boot(),
        "diskEncryption": _disk_encryption(state),
        "kernelLockdown": _lockdown(),
        "programProtected": _protection([program], user),
        "stateProtected": _protection([state, *state.iterdir()], user),
    }


def _variable(name):
    try:
        return int.from_bytes((EFI / name).read_bytes()[4:])
    except OSError:
        return None


def _secure_boot():
    secure = _variable("SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c")
    setup = _variable("SetupMode-8be4df61-93ca-11d2-aa0d-00e098032b8c")
    shim = _variable("MokSBStateRT-605dab50-e046-4300-abb6-3dd810dd8b23")
    return {None: "unknown", 0: "disabled", 1: "disabled" if 1 in (setup, shim) else "enabled"}[secure]


def _lockdown():
    try:
        return re.search(r"\[(\w+)\]", Path("/sys/kernel/security/lockdown").read_text())[1]
    except OSError:
        return "unknown"


def _disk_encryption(state):
    number = state.stat().st_dev
    if os.major(number):
        return _encryption(Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}"))
    found = subprocess.run(
        ["findmnt", "--noheadings", "--nofsroot", "--output", "FSTYPE,SOURCE", "--target", state],
        capture_output=True, text=True, check=True,
    )
    kind, source = found.stdout.split(maxsplit=1)
    name = Path(source.strip()).resolve().name
    members = [one.parent for one in Path("/sys/fs/btrfs").glob(f"*/devices/{name}")] if kind == "btrfs" else []
    return _of_all([_encryption(one) for one in members[0].iterdir()]) if members else "unknown"


def _encryption(device):
    device = device.resolve()
    if (device / "partition").exists():
        return _encryption(device.parent)
    uuid = (device / "dm/uuid").read_text() if (device / "dm").exists() else "part"
    if re.match(CIPHERS, uuid):
        return "enabled"
    parts = list((device / "slaves").iterdir()) if (device / "slaves").exists() else []
    if not parts:
        return "disabled" if (device / "device").exists() else "unknown"
    below = _of_all([_encryption(part) for part in parts])
    return "unknown" if below == "disabled" and not re.match(TRANSPARENT, uuid) else below


def _of_all(settings):
    return "disabled" if "disabled" in settings else "enabled" if set(settings) == {"enabled"} else "unknown"


def _protection(paths, user):
    findings = {_is_protected(path, step, user) for path in paths for step in _steps(path)}
    return "no" if False in findings else "unknown" if None in findings else "yes"


def _is_protected(path, step, user):
    status = step.lstat()
    if status.st_uid not in (0, user):
        return False
    if stat.S_ISLNK(status.st_mode) or stat.S_ISSOCK(status.st_mode):
        return True
    if step != path.resolve() and status.st_mode & stat.S_ISVTX:
        return True
    if status.st_mode & stat.S_IWOTH:
        return False
    return not status.st_mode & stat.S_IWGRP or _is_private(step, status.st_gid, user)


def _is_private(step, group, user):
    """True if only root and a user are in a group. None if an access control list makes this unknown."""
    try:
        listed = grp.getgrgid(group).gr_mem
    except KeyError:
        return None
    if "system.posix_acl_access" in os.listxattr(step):
        return None
    primary = [entry.pw_name for entry in pwd.getpwall() if entry.pw_gid == group]
    ours = {entry.pw_name for entry in pwd.getpwall() if entry.pw_uid in (0, user)}
    return {*listed, *primary} <= ours


def _steps(path):
    """Yields all components of a path, including those of symbolic links."""
    yield Path("/")
    here = Path("/")
    for name in path.parts[1:]:
        step = here / name
        yield step
        if step.is_symlink():
            yield from _steps(here / step.readlink())
        here = step.resolve()
