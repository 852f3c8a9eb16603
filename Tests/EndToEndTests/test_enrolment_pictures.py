"""`authctl enrol --image`: QR codes read by zbarimg, drawn by an independent library."""

import base64
import os
import string
import subprocess
from urllib.parse import quote

import pyotp
import pytest

from harness import pictures
from harness.programs import AUTHCTL, environment

SECRET = base64.b32encode(os.urandom(20)).decode()
ADDRESS = f"otpauth://totp/ACME:ann?secret={SECRET}&issuer=ACME"


def enrol(authctl, directory, picture, *options):
    file = directory / "code.png"
    file.write_bytes(picture)
    return authctl.run("enrol", "--image", file, *options)


def refused(outcome, status, error, hint=""):
    assert (outcome.status, outcome.output) == (status, ""), outcome.errors
    assert error in outcome.errors and hint in outcome.errors
    assert SECRET not in outcome.errors and "otpauth://" not in outcome.errors


def test_enrol_image_creates_an_account(authctl, directory, daemon):
    outcome = enrol(authctl, directory, pictures.codes(ADDRESS))
    assert outcome.status == 0 and "ann" in outcome.output, outcome.errors
    assert SECRET not in outcome.output + outcome.errors + str(daemon.journal)
    passcode = authctl.run("--json", "otp").json
    assert passcode["passcode"] == pyotp.TOTP(SECRET).at(passcode["validFrom"])
    refused(enrol(authctl, directory, pictures.codes(ADDRESS)), 1, "error:")


def test_enrol_image_reads_standard_input_and_accepts_a_repeated_code(authctl, client):
    picture = pictures.codes(ADDRESS, ADDRESS)
    made = subprocess.run(
        [AUTHCTL, "--json", "enrol", "--image", "-"],
        env=environment(MFAD_SOCKET=str(authctl.socket)), input=picture, capture_output=True, check=True,
    )
    assert SECRET.encode() not in made.stdout + made.stderr
    assert [one["label"] for one in client.call("account.list")["accounts"]] == ["ann"]


def test_enrol_image_preserves_every_character(authctl, directory, client):
    label = "a" + string.punctuation.replace(":", "") + " é漢z"
    outcome = enrol(authctl, directory, pictures.codes(f"otpauth://totp/ACME:{quote(label)}?secret={SECRET}&issuer=ACME"))
    assert outcome.status == 0, outcome.errors
    assert client.call("account.list")["accounts"][0]["label"] == label
    allowed = "-._~!$'()*+,;@"
    outcome = enrol(authctl, directory, pictures.codes(f"otpauth://totp/ACME:{allowed}?secret={SECRET}&issuer=ACME"))
    assert outcome.status == 0 and allowed in outcome.output, outcome.errors


def test_enrol_image_rejects_pictures_without_exactly_one_enrolment(authctl, directory, client):
    for picture, status, error, hint in [
        (pictures.codes(), 5, "no QR code found in ", "complete, large and sharp"),
        (pictures.codes(ADDRESS, ADDRESS + "&digits=8"), 2, "several QR codes", "crop the picture"),
        (pictures.codes(SECRET), 2, "contains no otpauth address", ""),
        (pictures.codes(f"https://example.com/?x={SECRET}"), 2, "contains no otpauth address", ""),
        (pictures.codes(f"one\ntwo\n{ADDRESS}"), 2, "contains no otpauth address", ""),
        (pictures.codes(f"otpauth-migration://offline?data={SECRET}"), 2, "contains no otpauth", "authctl import"),
        (pictures.codes(f"otpauth://steam/x?secret={SECRET}"), 2, "totp or hotp", ""),
        (pictures.codes(ADDRESS)[:200], 2, "zbarimg cannot read the picture", ""),
        (pictures.png([[255] * 20_000] * 2), 2, "zbarimg cannot read the picture", "a smaller one"),
        (b"hello", 2, "is not a supported picture", "PNG, JPEG, GIF or WebP"),
        (b"", 2, "is not a supported picture", "PNG"),
        (b"push graphic-context\nimage over 0,0 0,0 '/etc/passwd'\n", 2, "is not a supported picture", ""),
    ]:
        refused(enrol(authctl, directory, picture), status, error, hint)
    assert not client.call("account.list")["accounts"]


def test_enrol_image_reports_unreadable_files(authctl, directory, client):
    for name, error in [
        ("-x", "cannot read -x: No such file or directory"), (directory, "Is a directory"),
        ("/dev/zero", "is larger than 16 MiB"), ("text:/etc/passwd", "No such file or directory"),
        ("/dev/null", "is not a supported picture"), ("", "--image needs a value"),
    ]:
        refused(authctl.run("enrol", "--image", name, cwd=directory), 2, error)
    refused(authctl.run("enrol", ADDRESS, "--image", "x"), 2, "URI and --image exclude each other")
    (directory / "-x").write_bytes(pictures.codes(ADDRESS))
    assert authctl.run("enrol", "--image", "-x", cwd=directory).status == 0
    assert len(client.call("account.list")["accounts"]) == 1


def test_enrol_image_names_the_package_if_zbarimg_is_missing(daemon, directory):
    file = directory / "code.png"
    file.write_bytes(pictures.codes(ADDRESS))
    sudo = "sudo " if os.geteuid() else ""
    for options, said in [([], "error: zbarimg, which reads QR codes, is not installed"), (["--json"], "TOOL_MISSING")]:
        outcome = subprocess.run(
            [AUTHCTL, "enrol", "--image", file, *options], env={"PATH": str(directory), "MFAD_SOCKET": str(daemon.socket)},
            capture_output=True, text=True, check=False,
        )
        assert outcome.returncode == 1 and said in outcome.stdout + outcome.stderr
        assert options or f'hint: "{sudo}apt install zbar-tools" installs it' in outcome.stderr


def enrol_with(authctl, directory, body):
    """Enrols a picture with a shell script in the place of zbarimg."""
    tool = directory / "zbarimg"
    tool.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n")
    tool.chmod(0o755)
    file = directory / "code.png"
    file.write_bytes(pictures.codes(ADDRESS))
    return subprocess.run(
        [AUTHCTL, "enrol", "--image", file], env={"PATH": str(directory), "MFAD_SOCKET": str(authctl.socket)},
        capture_output=True, text=True, check=False,
    )


@pytest.mark.parametrize("body", [
    "exec yes QR-Code:x", "exec yes", "printf %99999s | tr ' ' x", "kill -9 $$", "exec cat", "exit 0",
    "echo QR-Code:x; exit 1",
])
def test_enrol_image_ends_a_misbehaving_zbarimg(authctl, directory, body):
    outcome = enrol_with(authctl, directory, body)
    assert outcome.returncode == 2 and "zbarimg cannot read the picture" in outcome.stderr


def test_zbarimg_reads_no_file_of_a_user_and_creates_no_socket(authctl, directory):
    secret, said = directory / "secret", directory / "said"
    secret.write_text("private\n")
    body = (f"cat {secret} && echo QR-Code:read; touch {said} && echo QR-Code:made; "
            "python3 -c 'import socket; socket.socket()' && echo QR-Code:socket; kill -0 $PPID && echo QR-Code:signal; exit 4")
    outcome = enrol_with(authctl, directory, body)
    assert "no QR code found in " in outcome.stderr, outcome.stderr
    assert not said.exists()


def test_enrol_image_keeps_the_secret_from_disks_buses_and_arguments(authctl, directory):
    file = directory / "code.png"
    file.write_bytes(pictures.codes(ADDRESS))
    trace = directory / "trace"
    subprocess.run(
        ["strace", "-f", "-s", "4096", "-o", trace, "-e", "trace=execve,connect,open,openat,creat,unlink,write",
         AUTHCTL, "enrol", "--image", file],
        env=environment(MFAD_SOCKET=str(authctl.socket)), capture_output=True, check=True,
    )
    lines = trace.read_text().splitlines()
    assert any('execve("/usr/bin/zbarimg"' in line for line in lines)
    for line in lines:
        # Only the pipe between the two programs carries the secret in write(2); the daemon's socket uses another call.
        assert SECRET not in line or "write(1, " in line, line
        assert "O_CREAT" not in line and "unlink(" not in line, line
        assert "connect(" not in line or str(authctl.socket) in line or "/dev/null" in line, line
