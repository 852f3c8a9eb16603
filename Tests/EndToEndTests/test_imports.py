"""`authctl import` of other authenticators' exports: plain and encrypted, text and binary."""

import base64
import hashlib
import json
import os
import subprocess

import pexpect
import pyotp
import pytest

from harness import exports
from harness.programs import AUTHCTL, environment

PASSWORD, ACCOUNTS, EXPORTS = exports.make()
ENCRYPTED = [name for name in EXPORTS if name.endswith(" encrypted")]
PLAIN = [name for name in EXPORTS if name not in [*ENCRYPTED, "aegis of nonsense", "andotp of old versions", "migration"]]


@pytest.fixture
def export(directory):
    """Returns a function that writes an export to a file."""

    def write(data):
        file = directory / "export"
        file.write_bytes(data)
        return file

    return write


def secrets_of(outcome):
    return [one["secret"] for one in ACCOUNTS if one["secret"] in outcome.output + outcome.errors]


def check(client):
    """Checks that all accounts exist and return the right passcodes."""
    made = {one["label"]: one for one in client.call("account.list")["accounts"]}
    assert len(made) == len(ACCOUNTS)
    for source in ACCOUNTS:
        account = made[source["label"]]
        assert account["issuer"] == source["issuer"]
        # PyOTP is not used for secrets of less than 112 bits.
        if source["type"] == "totp" and len(source["secret"]) * 5 >= 112:
            passcode = client.call("passcode.get", account=account["id"])
            digest = getattr(hashlib, source["algorithm"].lower())
            judge = pyotp.TOTP(source["secret"], digits=source["digits"], digest=digest, interval=source["period"])
            assert passcode["passcode"] == judge.at(passcode["validFrom"])


@pytest.mark.parametrize("name", PLAIN)
def test_plain_exports_are_imported(authctl, client, export, name):
    file = export(EXPORTS[name])
    tried = authctl.run("import", file, "--dry-run", "--json")
    assert len(tried.json["accounts"]) == len(ACCOUNTS) and not tried.json["skipped"], tried.errors
    made = authctl.run("import", file)
    assert made.status == 0 and "erase the export" in made.errors and not secrets_of(made)
    check(client)
    again = authctl.run("import", file)
    assert again.output.count(": this account exists already\n") == len(ACCOUNTS) and "erase" not in again.errors
    assert again.status == 5


@pytest.mark.parametrize("name", ENCRYPTED)
def test_encrypted_exports_require_the_password(authctl, client, export, directory, name):
    file = export(EXPORTS[name])
    wrong = authctl.run("import", file, input="wrong\n")
    assert wrong.status == 2 and "the password is wrong" in wrong.errors
    assert not client.call("account.list")["accounts"]
    none = authctl.run("import", file)
    assert none.status == 2 and "no password of the export was given" in none.errors
    held = directory / "password"
    held.write_text(PASSWORD + "\nnot this\n")
    held.chmod(0o644)
    open_to_all = authctl.run("import", file, "--password-file", held)
    assert open_to_all.status == 2 and "other users can access" in open_to_all.errors
    held.chmod(0o600)
    made = authctl.run("import", file, "--password-file", held)
    assert made.status == 0 and PASSWORD not in made.output + made.errors and not secrets_of(made), made.errors
    check(client)
    assert authctl.run("import", file, "--password-file", "-", input=PASSWORD).output.count("exists already") == len(ACCOUNTS)


def test_typed_password_is_not_shown(authctl, client, export):
    file = export(EXPORTS["andotp encrypted"])
    with authctl.terminal("import", file) as terminal:
        terminal.expect("password of the export: ")
        terminal.sendline(PASSWORD)
        terminal.expect("erase the export")
        assert PASSWORD not in terminal.before
        terminal.expect(pexpect.EOF)
    check(client)


def test_export_is_read_from_standard_input(authctl, client, directory):
    def run(name, *options):
        return subprocess.run(
            [AUTHCTL, "import", "-", *options], input=EXPORTS[name], capture_output=True, check=False,
            env=environment(MFAD_SOCKET=str(authctl.socket)),
        )

    lost = run("andotp encrypted")
    assert lost.returncode == 2 and b"give its password with --password-file" in lost.stderr
    password = directory / "password"
    password.touch(0o600)
    for text, error in [("", b"is empty or not UTF-8"), ("\n" + PASSWORD, b"is empty or not UTF-8"), ("wrong", b"the password is wrong")]:
        password.write_text(text)
        assert error in run("andotp encrypted", "--password-file", password).stderr
    password.write_text(PASSWORD)
    assert run("andotp encrypted", "--password-file", password).returncode == 0
    check(client)
    assert run("2fas").stdout.count(b"exists") == len(ACCOUNTS)


def test_migration_requires_all_its_parts(authctl, client, export):
    lines = EXPORTS["migration"].splitlines()
    part = authctl.run("import", export(lines[0]))
    assert part.status == 2 and "part 2 of " in part.errors and "addresses of all codes" in part.errors
    assert authctl.run("import", export(b"\n".join(reversed(lines)))).status == 0
    assert client.call("account.list")["accounts"]


def address(label, secret=None):
    return f"otpauth://totp/ACME:{label}?secret={secret or base64.b32encode(os.urandom(20)).decode()}&issuer=ACME"


def test_large_uri_lists_are_sent_in_several_requests(authctl, client, export):
    # 62 URIs have 430 KiB, too much for two requests.
    long = "x" * 7000
    lines = [address(f"user{number}.{long}") for number in range(62)]
    lines[5], lines[40] = "otpauth://steam/ACME:five?secret=ABC", "otpauth://totp/ACME:short?secret=ABC"
    lines[60] = lines[1]
    lines.append(address("y" * 9000))
    result = authctl.run("import", export("\n".join(lines).encode()), "--json").json
    assert [(one["index"], one["reason"]) for one in result["skipped"]] == [
        (5, "unsupported"), (40, "unsupported"), (60, "exists"), (62, "invalid")
    ]
    labels = [one["label"].split(".")[0] for one in result["accounts"]]
    assert labels == [f"user{number}" for number in range(62) if number not in (5, 40, 60)]
    assert len(client.call("account.list")["accounts"]) == 59


def test_large_plain_exports_are_imported_completely(authctl, client, export):
    vault = json.loads(EXPORTS["aegis"])
    for entry in vault["db"]["entries"]:
        entry["icon"] = "A" * 60_000
    assert authctl.run("import", export(json.dumps(vault).encode())).status == 0
    check(client)


def test_unsupported_exports_are_refused_with_the_reason(authctl, export, directory):
    vault = json.loads(EXPORTS["aegis encrypted"])
    vault["icon"] = "A" * 200_000
    for data, options, error, hint in [
        (json.dumps(vault).encode(), [], "is encrypted and larger than 180 KiB", "without a password"),
        (b" " * (4 * 1024 * 1024 + 1), [], "is larger than 4 MiB", ""),
        (b"hello", [], "does not show which format", "--format FORMAT"),
        (b"\xff\x00\xff", [], "does not show which format", "--format"),
        (EXPORTS["aegis"], ["--format", "2fas"], "is not of this format", ""),
        (b'{"encrypted":true,"items":[]}', [], "cannot be opened here", "export it without a password"),
        ("\n".join(address(str(n)) for n in range(1001)).encode(), [], "more than 1000 entries", ""),
    ]:
        outcome = authctl.run("import", export(data), *options)
        assert outcome.status == 2 and error in outcome.errors and hint in outcome.errors, outcome.errors
    for name, error in [("missing", "No such file"), (directory, "Is a directory"), ("-x", "no option")]:
        outcome = authctl.run("import", name, cwd=directory)
        assert outcome.status == 2 and error in outcome.errors
    (directory / "-x").write_bytes(EXPORTS["uris"])
    assert authctl.run("import", "--dry-run", "--", "-x", cwd=directory).status == 0
