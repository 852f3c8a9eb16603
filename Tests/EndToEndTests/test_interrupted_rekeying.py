"""`mfad --rekey`, `--seal` and `--recover`, killed at each step: the key still works, or a repetition restores it."""

import collections
import os
import shutil

import pytest

from harness.key_machine import assert_works, machine, meta, paired_daemon, wrapped

# A state of an already checked kind is checked only at each fifth step, or at each with MFAD_TEST_FAULTS=all.
EACH = 1 if os.environ.get("MFAD_TEST_FAULTS") == "all" else 5
STEPS = "openat,pwrite64,write,fsync,fdatasync,rename,unlink,ftruncate,fchmod"


def steps(run, trace):
    """Returns the system calls at which a change can be killed: name and number of the occurrence.

    Excludes the loading of the program and its libraries.
    """
    done = run(["strace", "-o", trace, "-e", f"trace={STEPS}"])
    assert done.returncode == 0, done.stderr
    counts, steps, has_begun = collections.Counter(), [], False
    for line in trace.read_text().splitlines():
        call = line.split("(")[0]
        if call not in STEPS.split(","):
            continue
        counts[call] += 1
        has_begun = has_begun or "/state/" in line
        if has_begun:
            steps.append((call, counts[call]))
    assert len(steps) > 20
    return steps


class Saved:
    """A saved state and its key, restored before each step."""

    def __init__(self, machine):
        self._directory, self._place = machine.directory, machine.directory / "saved"
        self._files = (machine.sealed, machine.directory / "host.secret")
        self._place.mkdir()
        shutil.copytree(self._directory / "state", self._place / "state")
        for path in self._files:
            if path.exists():
                shutil.copy2(path, self._place)

    def restore(self):
        shutil.rmtree(self._directory / "state")
        shutil.copytree(self._place / "state", self._directory / "state")
        for path in self._files:
            path.unlink(missing_ok=True)
            if (self._place / path.name).exists():
                shutil.copy2(self._place / path.name, path)


def killed_at_each_step(machine, run):
    """Kills a change at each of its steps in turn; yields the number of each step."""
    saved = Saved(machine)
    for number, (call, place) in enumerate(steps(run, machine.directory / "trace")):
        saved.restore()
        kill = ["strace", "--quiet=all", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={place}"]
        assert run(kill).returncode != 0
        yield number


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--rekey", "--seal"])
def test_key_opens_everything_if_a_key_change_is_killed_at_any_step(paired_daemon, machine, directory, option):
    rows, outcomes = wrapped(directory).keys(), set()
    for number in killed_at_each_step(machine, lambda wrapper: machine.mfad(option, wrapper=wrapper)):
        names = meta(directory)
        assert wrapped(directory).keys() == rows
        state = ("key_spare" in names, "key_successor" in names, machine.sealed.exists(), machine.key.exists())
        if state in outcomes and number % EACH:
            continue
        outcomes.add(state)
        assert machine.start_key_unit()
        kept = "key-file" if not machine.sealed.exists() else "credential"
        assert_works(paired_daemon, kept)
        # The next change completes the interrupted one.
        machine.change(option)
        assert "key_successor" not in meta(directory)
        assert machine.start_key_unit()
        assert_works(paired_daemon, "credential" if option == "--seal" else "key-file")
    # Killed before the transaction, and between the transaction and the storing of the key.
    assert {(spare, successor) for spare, successor, _, _ in outcomes} >= {(False, False), (True, True)}


@pytest.mark.slow
def test_recovery_killed_at_any_step_succeeded_or_can_be_repeated(paired_daemon, machine):
    recovery = machine.change("--seal") + "\n"
    machine.lose_what_unseals()
    outcomes = set()
    for number in killed_at_each_step(machine, lambda wrapper: machine.mfad("--recover", wrapper=wrapper, text=recovery)):
        is_back = machine.start_key_unit()
        if is_back in outcomes and number % EACH:
            continue
        outcomes.add(is_back)
        if not is_back:
            done = machine.mfad("--recover", text=recovery)
            assert done.returncode == 0, done.stderr
            assert machine.start_key_unit()
        assert_works(paired_daemon, "credential")
    assert outcomes == {False, True}, "the key came back at one of the steps"
