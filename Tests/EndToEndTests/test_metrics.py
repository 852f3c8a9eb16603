"""service.metrics: counters and resource use of the daemon."""

import os
import time
from pathlib import Path

from harness import flows


def test_metrics_count_open_connections(daemon, client):
    assert client.call("service.metrics")["connections"] == 1
    others = [daemon.client() for _ in range(5)]
    for other in others:
        other.call("account.list")
    assert client.call("service.metrics")["connections"] == 6
    for other in others[:3]:
        other.finish()
    assert client.call("service.metrics")["connections"] == 3


def test_metrics_count_each_request_and_error_once(client):
    before = client.call("service.metrics")["requests"]
    client.call("account.list")
    client.refusal("no.method")
    client.refusal("passcode.get")
    assert client.exchange("no json")["error"]["code"] == -32700
    batch = '[{"jsonrpc":"2.0","id":1,"method":"account.list"},{"jsonrpc":"2.0","method":"no.method"},7]'
    assert len(client.exchange(batch)) == 2
    after = client.call("service.metrics")["requests"]
    # Includes the second service.metrics call itself.
    assert (after["total"] - before["total"], after["errors"] - before["errors"]) == (8, 5)
    counts = {one["reason"]: one["count"] for one in after["reasons"]}
    assert counts["METHOD_NOT_FOUND"] == 2 and sum(counts.values()) == after["errors"]


def test_metrics_report_the_reachability_of_the_platform_and_the_last_backup(paired):
    figures = paired.call("service.metrics")
    assert [platform["reachable"] for platform in figures["platforms"]] == [True]
    assert "lastBackup" not in figures
    backup = paired.call("backup.create")
    assert paired.call("service.metrics")["lastBackup"] == backup["createdAt"]


def test_metrics_count_pushes_and_keep_the_total_after_a_restart(daemon, paired, sandbox):
    assert paired.call("service.metrics")["notifications"] == {"pending": 0, "total": 0}
    _, push = flows.push(paired, sandbox)
    flows.push(paired, sandbox)
    assert paired.call("service.metrics")["notifications"] == {"pending": 2, "total": 2}
    paired.call("notification.approve", notification=push["id"])
    assert paired.call("service.metrics")["notifications"] == {"pending": 1, "total": 2}
    assert paired.call("service.metrics")["approvals"] == {"approved": 1, "denied": 0, "expired": 0, "cancelled": 0}
    assert paired.call("service.metrics")["owners"] == 1
    daemon.stop()
    daemon.start()
    client = daemon.client()
    assert client.call("service.metrics")["notifications"] == {"pending": 1, "total": 2}
    client.call("owner.erase", uid=os.getuid(), confirm=True)
    figures = client.call("service.metrics")
    assert (figures["notifications"], figures["owners"]) == ({"pending": 0, "total": 2}, 0)


def test_metrics_match_kernel_values_for_memory_descriptors_and_database(daemon, client):
    # The check moves the contents of the WAL into the database file.
    daemon.journal.wait("the pages of the database are undamaged")
    while "checking" in client.call("service.status")["protection"]:
        time.sleep(0.02)
    figures = client.call("service.metrics")
    process = Path(f"/proc/{daemon.process.pid}")
    resident = int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    assert abs(figures["rssBytes"] - resident) < 4 << 20
    assert figures["openFiles"] == len(list((process / "fd").iterdir()))
    assert figures["databaseBytes"] == (daemon.directory / "state" / "mfad.db").stat().st_size


def test_metrics_description_explains_the_push_total(client):
    document = client.call("rpc.discover")
    (method,) = [one for one in document["methods"] if one["name"] == "service.metrics"]
    assert method["x-class"] == "service"

    def properties(schema):
        name = schema.get("$ref", "").removeprefix("#/components/schemas/")
        return (document["components"]["schemas"][name] if name else schema)["properties"]

    figures = properties(method["result"]["schema"])
    assert "restart" in properties(figures["notifications"])["total"]["description"]
