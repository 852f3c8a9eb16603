"""strace on a running daemon: its system calls, and injected faults."""

import collections
import os
import re
import subprocess
import time
from pathlib import Path

from .programs import PATIENCE

PASSIVE = {
    "brk", "clock_gettime", "clock_nanosleep", "epoll_pwait", "epoll_wait", "exit", "exit_group", "fcntl", "fstat",
    "futex", "getcwd", "geteuid", "getpeername", "getpid", "getrandom", "getrusage", "getsockname", "getsockopt",
    "gettid", "getuid", "lseek", "lstat", "madvise", "mincore", "mmap", "mprotect", "mremap", "munmap", "newfstatat",
    "poll", "ppoll", "pread64", "prlimit64", "read", "readlink", "readv", "recvfrom", "recvmsg", "restart_syscall",
    "rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_yield", "set_robust_list", "sigaltstack", "stat",
    "statx", "sysinfo", "timerfd_settime", "umask", "uname",
}
"""System calls without lasting effects. A kill at one is equivalent to a kill at the next call with effects."""

_CALL = re.compile(r"(?:(\d+) +)?([a-z_0-9]+)\(")


class Tracer:
    """Traces the thread of the event loop, or all threads with `-f`, until `stop()` or the end of the process."""

    def __init__(self, pid, report, *options):
        self._pid, self._report = pid, report
        self._process = subprocess.Popen(
            ["strace", "-p", str(pid), "-o", str(report), "-y", *map(str, options)], stderr=subprocess.PIPE, text=True
        )
        line = self._process.stderr.readline()
        assert "attached" in line, line

    def stop(self):
        """Ends the trace and returns its lines."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.stderr.close()
        deadline = time.monotonic() + PATIENCE
        while self._process.poll() is None:
            assert time.monotonic() < deadline, "strace does not end"
            # strace may wait forever for the threads of a killed program, which it blocks itself.
            if self._is_dead_with_threads:
                self._process.kill()
            time.sleep(0.01)
        return self._report.read_text(errors="replace").splitlines()

    @property
    def _is_dead_with_threads(self):
        try:
            state = Path(f"/proc/{self._pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
            return state == "Z" and len(os.listdir(f"/proc/{self._pid}/task")) > 1
        except (FileNotFoundError, ProcessLookupError):
            return False


def places(lines, wanted):
    """Returns the selected calls, each by name and index among its thread's calls of that name, like strace."""
    counts, found = collections.Counter(), {}
    for line in lines:
        match = _CALL.match(line)
        if match and "resumed" not in line:
            thread, call = match.groups()
            counts[thread, call] += 1
            if wanted(call, line):
                found[call, counts[thread, call]] = None
    return list(found)
