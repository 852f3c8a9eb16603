"""Injected system calls in a running program, to test the permissions that it has dropped."""

import contextlib
import ctypes
import errno
import os
import resource
import signal
import socket

from .programs import wait_until

ARCHITECTURE = "x86_64"
"""The architecture with known registers."""

EXECVE, SOCKET, OPENAT, CLOSE = 59, 41, 257, 3
CHMOD, PRLIMIT64, SOCKETPAIR = 90, 302, 53

_NAMES = (
    "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es fs gs"
)
_ATTACH, _DETACH, _GETREGS, _SETREGS, _SYSCALL, _SETOPTIONS = 16, 17, 12, 13, 24, 0x4200
_TRACESYSGOOD, _SYSCALL_STOP = 1, signal.SIGTRAP | 0x80
_MADE_AGAIN = (-512, -513, -514)
_SYSCALL_INSTRUCTION = b"\x0f\x05"


class _Registers(ctypes.Structure):
    _fields_ = [(name, ctypes.c_ulonglong) for name in _NAMES.split()]

    def copy(self):
        return _Registers.from_buffer_copy(self)


_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long


def _ptrace(request, pid, data=None):
    if _libc.ptrace(request, pid, None, data) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


class Injected:
    """A single-threaded program that is stopped in a blocking system call."""

    def __init__(self, pid):
        self.pid = pid
        self._kept = self._registers()

    @property
    def is_in_call(self):
        """True if it waits in a system call. Its instruction is reused for injected calls."""
        with open(f"/proc/{self.pid}/mem", "rb") as memory:
            memory.seek(self._kept.rip - 2)
            return memory.read(2) == _SYSCALL_INSTRUCTION

    def call(self, number, *arguments):
        """Makes a system call and returns the result or the negative error. Strings are written below the stack."""
        place = (self._kept.rsp - 4096) & ~0xF
        values = []
        for argument in arguments:
            if isinstance(argument, int):
                values.append(argument)
                continue
            with open(f"/proc/{self.pid}/mem", "r+b", buffering=0) as memory:
                memory.seek(place)
                memory.write(os.fsencode(argument) + b"\0")
            values.append(place)
        registers = self._kept.copy()
        registers.rip, registers.rax, registers.orig_rax = registers.rip - 2, number, 2**64 - 1
        names = ("rdi", "rsi", "rdx", "r10", "r8", "r9")
        for name, value in zip(names, [*values, *[0] * (len(names) - len(values))], strict=True):
            setattr(registers, name, value % 2**64)
        _ptrace(_SETREGS, self.pid, ctypes.addressof(registers))
        # Step into the call and out of it.
        for _ in range(2):
            _ptrace(_SYSCALL, self.pid)
            _wait(self.pid, _SYSCALL_STOP)
        return ctypes.c_longlong(self._registers().rax).value

    def open(self, path):
        """Opens a file for reading. Returns `None`, or the name of the error."""
        return self._close(self.call(OPENAT, -100, str(path), os.O_RDONLY))

    def make_socket(self, family):
        """Creates a socket. Returns `None`, or the name of the error."""
        return self._close(self.call(SOCKET, family, socket.SOCK_STREAM, 0))

    def execute(self, program):
        """Tries to execute another program, which must fail. Returns the name of the error."""
        return errno.errorcode[-self.call(EXECVE, str(program), 0, 0)]

    def attack(self, file, process):
        """Tries calls that Landlock does not restrict. Returns the names of their errors."""
        place = (self._kept.rsp - 2048) & ~0xF
        calls = [(CHMOD, str(file), 0o755), (PRLIMIT64, process, resource.RLIMIT_CORE, 0, 0),
                 (SOCKETPAIR, socket.AF_UNIX, socket.SOCK_DGRAM, 0, place)]
        return [errno.errorcode.get(-self.call(*call)) for call in calls]

    def _close(self, result):
        if result < 0:
            return errno.errorcode[-result]
        self.call(CLOSE, result)
        return None

    def _registers(self):
        registers = _Registers()
        _ptrace(_GETREGS, self.pid, ctypes.addressof(registers))
        return registers

    def _restore(self):
        # The program continues its interrupted call, which the kernel would have restarted.
        kept = self._kept.copy()
        if ctypes.c_longlong(kept.rax).value in _MADE_AGAIN:
            kept.rip, kept.rax = kept.rip - 2, kept.orig_rax
        _ptrace(_SETREGS, self.pid, ctypes.addressof(kept))


def _wait(pid, expected):
    _, status = os.waitpid(pid, 0x40000000)
    assert os.WIFSTOPPED(status) and os.WSTOPSIG(status) == expected, f"process {pid} did not stop: status {status:#x}"


def _hold(pid):
    """Stops a program in a blocking call. Returns `None` and lets it continue if it is not in one."""
    _ptrace(_ATTACH, pid)
    try:
        _wait(pid, signal.SIGSTOP)
        _ptrace(_SETOPTIONS, pid, _TRACESYSGOOD)
        held = Injected(pid)
        if held.is_in_call:
            return held
    except BaseException:
        _ptrace(_DETACH, pid)
        raise
    _ptrace(_DETACH, pid)
    return None


@contextlib.contextmanager
def injected(pid):
    """Stops a program when it blocks, and lets it continue unchanged after the block."""
    held = wait_until(lambda: _hold(pid))
    try:
        try:
            yield held
        finally:
            held._restore()
    finally:
        _ptrace(_DETACH, pid)
