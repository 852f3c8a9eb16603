"""`authctl watch` asks about requests as they arrive. Ids can be chosen or abbreviated; `deny --all` denies all."""

import re
import time

import pytest

from harness import flows
from harness.programs import PATIENCE


def test_watch_asks_about_requests_in_order_of_arrival(paired, authctl, sandbox):
    first, one = flows.push(paired, sandbox)
    with authctl.terminal("watch") as terminal:
        terminal.expect("watching, until Ctrl-C")
        terminal.expect(r"approve, deny, report or later\? \[a/d/r/L\]: ")
        # Two requests arrive during a prompt; each is asked about afterwards.
        second, two = flows.push(paired, sandbox)
        third, three = flows.push(paired, sandbox)
        terminal.sendline("a")
        terminal.expect(rf"approved: .*\({one['id'][:8]}\)")
        for push, word, said in ((two, "d", "denied"), (three, "later", "not approved")):
            terminal.expect(r"approve, deny, report or later\? \[a/d/r/L\]: ")
            terminal.sendline(word)
            terminal.expect(said)
        # watch does not ask again about a postponed request, but asks about the next.
        fourth, four = flows.push(paired, sandbox)
        terminal.expect(r"approve, deny, report or later\? \[a/d/r/L\]: ")
        terminal.sendline("approve")
        terminal.expect(rf"approved: .*\({four['id'][:8]}\)")
        terminal.sendintr()
        terminal.wait()
    states = [sandbox.authentication(each)["status"] for each in (first, second, fourth)]
    assert states == ["COMPLETED", "FAILED", "COMPLETED"]
    assert paired.call("notification.get", notification=three["id"])["notification"]["state"] == "pending"
    assert sandbox.authentication(third)["status"] != "COMPLETED"


def test_watch_shows_one_block_with_a_running_countdown_and_one_result(paired, authctl, sandbox):
    with authctl.terminal("watch") as terminal:
        terminal.expect("watching, until Ctrl-C")
        _, push = flows.push(paired, sandbox)
        terminal.expect(r"\r\n\[(\d):(\d\d)\] approve, deny, report or later\? \[a/d/r/L\]: ")
        shown, left = terminal.before, 60 * int(terminal.match.group(1)) + int(terminal.match.group(2))
        # The cursor returns to the answer after each update.
        terminal.expect(r"\x1b7\r\[(\d):(\d\d)\]\x1b8")
        assert 60 * int(terminal.match.group(1)) + int(terminal.match.group(2)) < left
        terminal.sendline("a")
        terminal.expect(rf"approved: .*\({push['id'][:8]}\)")
        paired.event("notification", id=push["id"], state="approved")
        _, other = flows.push(paired, sandbox)
        terminal.expect(r"\[a/d/r/L\]: ")
        assert "notification  " not in shown + terminal.before


def test_watch_ends_the_prompt_if_the_request_is_answered_elsewhere(paired, authctl, sandbox):
    with authctl.terminal("watch") as terminal:
        terminal.expect("watching, until Ctrl-C")
        _, push = flows.push(paired, sandbox)
        terminal.expect(r"approve, deny, report or later\? \[a/d/r/L\]: ")
        paired.call("notification.deny", notification=push["id"])
        terminal.expect("already answered")
        _, push = flows.push(paired, sandbox)
        terminal.expect(r"approve, deny, report or later\? \[a/d/r/L\]: ")
        terminal.sendline("a")
        terminal.expect(rf"approved: .*\({push['id'][:8]}\)")


def test_watch_asks_until_the_number_is_right(paired, authctl, sandbox):
    sandbox.match_numbers()
    with authctl.terminal("watch") as terminal:
        terminal.expect("watching, until Ctrl-C")
        started, _ = flows.push(paired, sandbox)
        number = sandbox.authentication(started)["numberMatching"]["number"]
        terminal.expect("number shown where you sign on")
        terminal.sendline(str((number + 1) % 100))
        terminal.expect("2 tries left")
        terminal.sendline(str(number))
        terminal.expect("approved")
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_watch_print_does_not_ask(paired, authctl, sandbox):
    with authctl.terminal("watch", "--print") as terminal:
        terminal.expect("watching, until Ctrl-C")
        _, push = flows.push(paired, sandbox)
        terminal.expect(f"notification  .*  pending, ends in .*  {push['id'][:8]}")
        paired.call("notification.approve", notification=push["id"])
        terminal.expect("approved")
        assert "approve, deny" not in terminal.before


HOSTILE = "$(touch OWNED) `touch OWNED`; touch OWNED\n| x"


def test_watch_exec_runs_a_program_per_request_without_a_shell(paired, authctl, sandbox, directory):
    script = directory / "answer it"
    script.write_text(
        "#!/bin/sh\n"
        f"echo \"$MFAD_REQUEST_ID|$MFAD_REQUEST_TITLE|$MFAD_REQUEST_WANTS_NUMBER|$MFAD_REQUEST_ACCOUNT\" >{directory}/$MFAD_REQUEST_ID\n"
        f"while [ ! -e {directory}/go ]; do /bin/sleep 0.02; done\n"
        f"exec {authctl._command([])[0]} approve \"$MFAD_REQUEST_ID\" --json\n"
    )
    script.chmod(0o755)
    title = HOSTILE.replace("\n", " ").replace("OWNED", str(directory / "owned"))
    before, first = flows.push(paired, sandbox, template={"variables": {"title": title, "body": "x"}})
    watching = authctl.start("watch", "--exec", script, "--topic", "notification")
    after, second = flows.push(paired, sandbox)
    # Both programs run at the same time: each waits until both have started.
    for push in (first, second):
        paired_file = directory / push["id"]
        wait_for(paired_file)
        fields = paired_file.read_text().rstrip("\n").split("|")
        assert fields[0] == push["id"] and fields[-2:][0] == "no" and "(ann)" in fields[-1]
    assert title.split("|")[0] in (directory / first["id"]).read_text()
    (directory / "go").touch()
    left = {first["id"], second["id"]}
    while left:
        left.discard(paired.event("notification", state="approved")["id"])
    assert [sandbox.authentication(each)["status"] for each in (before, after)] == ["COMPLETED", "COMPLETED"]
    assert not (directory / "owned").exists()
    watching.terminate()
    watching.communicate(timeout=PATIENCE)


def test_watch_exec_runs_four_programs_at_most_at_once(paired, authctl, sandbox, directory):
    script = directory / "answer"
    script.write_text(
        f"#!/bin/sh\necho run >{directory}/$MFAD_REQUEST_ID\nwhile [ ! -e {directory}/go ]; do /bin/sleep 0.02; done\n"
    )
    script.chmod(0o755)
    ids = [flows.push(paired, sandbox)[1]["id"] for _ in range(5)]
    watching = authctl.start("watch", "--exec", script, "--topic", "notification")
    deadline = time.monotonic() + PATIENCE
    while len(started := [each for each in ids if (directory / each).exists()]) < 4:
        assert time.monotonic() < deadline
    # Longer than the interval at which it checks for ended programs.
    time.sleep(0.6)
    assert [each for each in ids if (directory / each).exists()] == started
    # The four end together and decide nothing: no event tells authctl to start the fifth.
    (directory / "go").touch()
    for each in ids:
        wait_for(directory / each)
    watching.terminate()
    watching.communicate(timeout=PATIENCE)


def wait_for(path):
    deadline = time.monotonic() + PATIENCE
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.02)


def test_watch_exec_exits_if_the_program_is_missing(paired, authctl, sandbox):
    flows.push(paired, sandbox)
    done = authctl.run("watch", "--exec", "/nothing/here")
    assert done.status == 1 and "cannot be started" in done.errors


# Several requests, and abbreviated ids


def test_deny_all_denies_every_request(paired, authctl, sandbox):
    assert authctl.run("deny", "--all").status == 5
    started = [flows.push(paired, sandbox)[0] for _ in range(3)]
    done = authctl.run("deny", "--all", "--report-fraud")
    assert done.status == 0 and done.output.count("denied: ") == 3 and done.output.count("reported as fraud") == 3
    assert {sandbox.authentication(each)["status"] for each in started} == {"FAILED"}
    assert authctl.run("deny", "x", "--all").status == 2


@pytest.mark.parametrize("verb, state", [("approve", "approved"), ("deny", "denied")])
def test_unique_prefix_of_a_request_id_is_accepted(paired, authctl, sandbox, verb, state):
    ids = [flows.push(paired, sandbox)[1]["id"] for _ in range(2)]
    short = next(ids[0][:length] for length in range(1, 32) if not ids[1].startswith(ids[0][:length]))
    done = authctl.run(verb, short)
    assert done.status == 0 and re.fullmatch(rf"{state}: .* \({ids[0][:8]}\)\n", done.output)
    assert authctl.run(verb, "!").status == 5


def test_approve_asks_to_choose_among_several_requests(paired, authctl, sandbox):
    started = [flows.push(paired, sandbox)[0] for _ in range(2)]
    with authctl.terminal("approve") as terminal:
        terminal.expect(r"which request\? \[1-2\]: ")
        # The newest request is listed first.
        terminal.sendline("2")
        terminal.expect(r"\[a/d/r/L\]: ")
        terminal.sendline("a")
        terminal.expect("approved")
    assert sandbox.authentication(started[0])["status"] == "COMPLETED"
    assert sandbox.authentication(started[1])["status"] != "COMPLETED"


def test_pairing_can_be_chosen_by_number_or_by_prefix(client, authctl, sandbox):
    client.call("device.configure", geo=flows.GEO)
    waiting = [flows.sign_on(client, sandbox, user)["pairing"]["id"] for user in ("ann", "bob")]
    assert authctl.run("pairings", "ignore").status == 2
    with authctl.terminal("pairings", "approve") as terminal:
        terminal.expect(r"which pairing\? \[1-2\]: ")
        terminal.sendline("1")
        terminal.expect("paired")
    (left,) = [pairing["id"] for pairing in client.call("pairing.list")["pairings"]]
    assert left in waiting and authctl.run("pairings", "ignore", left[:10]).output == f"ignored pairing {left[:8]}\n"
    assert len(client.call("account.list")["accounts"]) == 1
