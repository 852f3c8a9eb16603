"""Changes that are committed to disk before the reply, compared with synchronous file writes."""

import json
import os
import statistics
import threading
import time

from harness import users
from line import Line, request
from row import A_SECOND, MICROSECONDS, at_least, at_most, row
from tools import SERVER, load, output, pinned

CHANGES = 64
"""Number of changes that the write limit allows at once; it then needs a rest."""

REST = 5


def changes(path, in_flight):
    """Durable changes per second, with `in_flight` of them in flight."""
    requests = [request("device.setKeepOnReinstall", keep=number % 2 == 0) for number in range(CHANGES)]
    time.sleep(REST)
    with Line(os.geteuid(), path) as line:
        begin = time.perf_counter()
        for first in range(0, CHANGES, in_flight):
            line.ask_all(requests[first:first + in_flight])
        return CHANGES / (time.perf_counter() - begin)


def synced_writes(directory):
    """Writes per second of fio, each synced to disk before the next."""
    job = ["--name=synced", f"--filename={directory}/synced", "--rw=write", "--bs=4k", "--size=1M", "--fdatasync=1"]
    report = json.loads(output(*pinned(SERVER, "fio", *job, f"--number_ios={CHANGES}", "--output-format=json")))
    written = report["jobs"][0]["write"]
    return written["total_ios"] / (report["jobs"][0]["job_runtime"] / 1000)


@row(7, "durable changes, one at a time, against an fdatasync loop", A_SECOND, at_least(0.37))
def one_at_a_time(stage, resources):
    daemon = stage.paired_daemon(resources, "one-change")
    return lambda: changes(daemon.socket, 1), lambda: synced_writes(daemon.directory)


@row(7, "durable changes, 64 in flight against one at a time", A_SECOND, at_least(8))
def many_at_a_time(stage, resources):
    daemon = stage.paired_daemon(resources, "many-changes")
    return lambda: changes(daemon.socket, CHANGES), lambda: changes(daemon.socket, 1)


@row(15, "passcode beside a busy owner, 99.9th percentile against median", MICROSECONDS, at_most(5))
def beside_a_writer(stage, resources):
    daemon = stage.paired_daemon(resources, "beside-writer")
    other = resources.enter_context(Line(users.ANN_UID, daemon.socket))
    other.ask("device.configure", geo="NorthAmerica")
    over = threading.Event()

    def write():
        keep = False
        while not over.is_set():
            keep = not keep
            # The daemon rate-limits this owner after the permitted number of changes.
            if other.refused("device.setKeepOnReinstall", keep=keep):
                time.sleep(0.02)

    writer = threading.Thread(target=write)
    resources.callback(writer.join)
    resources.callback(over.set)
    writer.start()
    loads = []

    def slowest():
        loads.append(load(daemon.socket, "passcode.get", 1, 1, seconds=4, processor=SERVER))
        return loads[-1][3]

    return slowest, lambda: loads[-1][1]


class PasscodesAfter:
    """The time of a passcode request right after another operation. `asked`: the socket of another server for it."""

    def __init__(self, stage, resources, name, asked=None):
        daemon = stage.paired_daemon(resources, name)
        self._mine = resources.enter_context(Line(os.geteuid(), asked or daemon.socket))
        self._other = resources.enter_context(Line(users.ANN_UID, daemon.socket))
        self._other.ask("device.configure", geo="NorthAmerica")
        self._taken = []

    def measure(self, before):
        time.sleep(REST)
        times, passcode = [], request("passcode.get")
        for number in range(CHANGES):
            before(number)
            begin = time.perf_counter()
            self._mine.ask_all([passcode])
            times.append((time.perf_counter() - begin) * 1e6)
        return statistics.median(times)

    def change(self, number):
        begin = time.perf_counter()
        self._other.ask("device.setKeepOnReinstall", keep=number % 2 == 0)
        self._taken.append(time.perf_counter() - begin)

    def look(self, _):
        self._other.ask("service.status")

    def pause(self, _):
        """Sleeps as long as a change takes."""
        time.sleep(statistics.median(self._taken))


@row(8, "passcode right after another owner's change, against none", MICROSECONDS, at_most(4.5))
def after_a_change(stage, resources):
    passcodes = PasscodesAfter(stage, resources, "after-change")
    return lambda: passcodes.measure(passcodes.change), lambda: passcodes.measure(passcodes.look)


@row(8, "the same, against a passcode after an equal pause", MICROSECONDS, at_most(1.1))
def after_a_pause(stage, resources):
    passcodes = PasscodesAfter(stage, resources, "after-pause")
    return lambda: passcodes.measure(passcodes.change), lambda: passcodes.measure(passcodes.pause)
