"""State files that another program moves, deletes or replaces, while the daemon runs or between two runs."""

import shutil

import pytest

REMAINING = ["mfad.db-wal", "key", "counter"]


def enrolled(stage, name):
    uri = f"otpauth://totp/Acme:{name}?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Acme"
    return stage.client.call("account.enrol", uri=uri)["id"]


def labels(stage):
    return [account["label"] for account in stage.client.call("account.list")["accounts"]]


def refused(stage, kind, cause):
    error = stage.client.refusal("device.setPushAllowed", allowed=False)
    assert (error.code, error.details["kind"], error.cause) == (11010, kind, cause), error


def database_check(stage):
    return next(check for check in stage.client.call("service.doctor")["checks"] if check["name"] == "database")


def copied(path):
    shutil.copy2(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def moved(path):
    path.replace(path.with_name("moved"))


@pytest.mark.parametrize("name", ["mfad.db", "mfad.db-wal"])
@pytest.mark.parametrize("change", [lambda path: path.unlink(), moved, copied], ids=["deleted", "moved", "replaced"])
def test_change_is_refused_if_a_state_file_is_not_at_its_place(configured, change, name):
    account = enrolled(configured, "before")
    change(configured.daemon.state / name)
    refused(configured, "replaced", "replaced")
    assert configured.client.call("passcode.get", account=account)["passcode"]
    check = database_check(configured)
    assert (check["result"], check["cause"]) == ("fail", "replaced") and "systemctl restart" in check["remedy"]


def test_change_is_refused_if_the_state_directory_is_moved(configured):
    enrolled(configured, "before")
    configured.daemon.state.replace(configured.directory / "elsewhere")
    refused(configured, "replaced", "replaced")
    configured.daemon.stop()
    (configured.directory / "elsewhere").replace(configured.daemon.state)
    configured.start()
    assert labels(configured) == ["before"]


@pytest.mark.parametrize("remaining", REMAINING)
def test_missing_database_is_reported_and_no_empty_one_is_created(configured, remaining):
    enrolled(configured, "before")
    # Keeps the WAL, which a stopped daemon removes.
    configured.daemon.kill()
    state = configured.daemon.state
    files = {name: state / name for name in ("mfad.db", "mfad.db-wal", "key")}
    files["counter"] = state.with_name(state.name + "-rollback") / "counter"
    for name, file in files.items():
        if name != remaining:
            file.replace(configured.directory / f"kept-{name}")
    (state / "mfad.db-shm").unlink(missing_ok=True)
    configured.start()
    line = configured.daemon.journal.wait("no empty database is created")
    assert "mfad.db is missing" in line and str(files[remaining]) in line
    refused(configured, "corrupt", "missing")
    assert database_check(configured)["cause"] == "missing" and not files["mfad.db"].exists()
    configured.daemon.stop()
    for name, file in files.items():
        if name != remaining:
            (configured.directory / f"kept-{name}").replace(file)
    configured.start()
    assert labels(configured) == ["before"]


def test_database_that_is_put_back_serves_again_without_a_loss(configured):
    enrolled(configured, "before")
    database = configured.daemon.state / "mfad.db"
    moved(database)
    refused(configured, "replaced", "replaced")
    database.with_name("moved").replace(database)
    enrolled(configured, "after")
    configured.restart()
    assert sorted(labels(configured)) == ["after", "before"]
