"""Lists of authctl on a terminal of 40 columns."""

import unicodedata

import pexpect
import pytest

from harness.authctl import Authctl

ACCOUNTS = {
    "accounts": [
        {
            "id": f"b5ZND654jjpSPO{n}", "kind": "PINGONE", "geo": "NorthAmerica", "label": name, "locked": False,
            "user": {"id": "u-1", "username": name}, "createdAt": "2026-11-21T09:00:00Z",
            "authenticators": [{"type": kind, "status": "COMPLETED"} for kind in ("PUSH", "OTP")],
        }
        for n, name in enumerate(("ann@mail.example", "漢字漢字漢字"))
    ]
}


def columns(line):
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in line)


@pytest.fixture
def listed(scripted):
    def run(**size):
        with Authctl(scripted.socket).terminal("accounts", **size) as terminal:
            scripted.answer("account.list", ACCOUNTS)
            terminal.expect(pexpect.EOF)
            return terminal.before.replace("\r", "").splitlines()

    return run


def test_table_wraps_between_cells_at_40_columns(listed):
    wide, narrow = listed(columns=160), listed(columns=40)
    assert len(wide) == 2 and len({columns(line.split("pushes")[0]) for line in wide}) == 1
    # The cells are unchanged and not split, and continuation lines are indented.
    assert "  ".join(" ".join(narrow).split()) == "  ".join(" ".join(wide).split())
    assert max(map(columns, narrow)) <= 40
    assert [line[0] == "P" for line in narrow].count(True) == 2
    assert all(line.startswith(("P", "  ")) for line in narrow)
