"""The checks of `authctl doctor`, by name."""

DAEMONS = [
    "configuration", "key", "memory", "clock", "courier", "host", "issuer", "platform", "pushes", "database", "rollback",
    "backup", "version",
]


def diagnose(authctl):
    """Returns the exit code and the checks by name. The worst of several checks with one name counts."""
    done = authctl.run("--json", "doctor")
    rank = ["skipped", "pass", "warning", "fail"].index
    checks = {}
    for check in done.json["checks"]:
        if check["name"] not in checks or rank(check["result"]) > rank(checks[check["name"]]["result"]):
            checks[check["name"]] = check
    return done.status, checks


def finding(authctl, name, result, cause):
    """Returns a check, which must have this result and cause, and a remedy."""
    status, checks = diagnose(authctl)
    check = checks[name]
    assert (check["result"], check.get("cause")) == (result, cause), checks
    assert check["remedy"] and check["message"]
    return status, check, checks


def results(checks):
    return {name: check["result"] for name, check in checks.items()}
