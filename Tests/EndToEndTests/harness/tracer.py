"""strace on a daemon that serves: what it calls, and what befalls it at one of its calls."""

import collections
import re
import subprocess

from .programs import PATIENCE

PASSIVE = {
    "brk", "clock_gettime", "clock_nanosleep", "epoll_pwait", "epoll_wait", "exit", "exit_group", "fcntl", "fstat",
    "futex", "getcwd", "geteuid", "getpeername", "getpid", "getrandom", "getrusage", "getsockname", "getsockopt",
    "gettid", "getuid", "lseek", "lstat", "madvise", "mincore", "mmap", "mprotect", "mremap", "munmap", "newfstatat",
    "poll", "ppoll", "pread64", "prlimit64", "read", "readlink", "readv", "recvfrom", "recvmsg", "restart_syscall",
    "rseq", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_yield", "set_robust_list", "sigaltstack", "stat",
    "statx", "sysinfo", "timerfd_settime", "umask", "uname",
}
"""Calls that change nothing that outlives their process: to be killed at one is to be killed at the next that does."""

_CALL = re.compile(r"(?:\d+ +)?([a-z_0-9]+)\(")


class Tracer:
    """Watches the thread that does everything, from now until it is told to stop or that has ended."""

    def __init__(self, pid, report, *options):
        self._report = report
        self._process = subprocess.Popen(
            ["strace", "-p", str(pid), "-o", str(report), "-y", *map(str, options)], stderr=subprocess.PIPE, text=True
        )
        line = self._process.stderr.readline()
        assert "attached" in line, line

    def stop(self):
        """Lets go; returns what was called, line by line."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.stderr.close()
        self._process.wait(PATIENCE)
        return self._report.read_text(errors="replace").splitlines()


def places(lines, wanted):
    """The calls that are wanted, each by its name and its place among those of that name."""
    counts, found = collections.Counter(), []
    for line in lines:
        match = _CALL.match(line)
        if match and "resumed" not in line:
            counts[match[1]] += 1
            if wanted(match[1], line):
                found.append((match[1], counts[match[1]]))
    return found
