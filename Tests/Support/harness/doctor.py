"""`authctl doctor`: its checks, read by their names."""

DAEMONS = [
    "configuration", "key", "memory", "clock", "courier", "host", "issuer", "platform", "pushes", "database", "rollback",
    "backup", "version",
]


def diagnose(authctl):
    """Its exit code, and its checks by name; of several with one name, the worst."""
    done = authctl.run("--json", "doctor")
    rank = ["skipped", "pass", "warning", "fail"].index
    checks = {}
    for check in done.json["checks"]:
        if check["name"] not in checks or rank(check["result"]) > rank(checks[check["name"]]["result"]):
            checks[check["name"]] = check
    return done.status, checks


def finding(authctl, name, result, cause):
    """The check of that name, which has to have come out so, with something to be done about it."""
    status, checks = diagnose(authctl)
    check = checks[name]
    assert (check["result"], check.get("cause")) == (result, cause), checks
    assert check["remedy"] and check["message"]
    return status, check, checks


def results(checks):
    return {name: check["result"] for name, check in checks.items()}
