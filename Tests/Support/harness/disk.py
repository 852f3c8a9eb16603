"""The contents of a disk after a power failure: all flushed data, and a random part of the rest."""

import dataclasses
import re

SECTOR = 512
CALLS = "openat,pwrite64,write,ftruncate,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,sendto,sendmsg"
OPTIONS = ["-f", "-y", "-xx", "-s", "1000000", "-e", f"trace={CALLS}"]
"""The options for strace."""

_LINE = re.compile(r"(?:\d+ +)?(\w+)\((.*)\) += (-?\d+)")
_ESCAPED = re.compile(r"\\x([0-9a-f]{2})")
_QUOTED = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


def _decode(text):
    return bytes.fromhex("".join(_ESCAPED.findall(text)))


def _path(text):
    """Returns the file of a descriptor, in either notation of strace."""
    named = re.match(r"\w+<(.*?)>", text)
    if not named:
        return ""
    return (_decode(named[1]) if "\\x" in named[1] else named[1].encode()).decode(errors="replace")


def _whole(lines):
    """Joins the lines that strace splits at thread switches."""
    begun = {}
    for line in lines:
        thread = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            begun[thread] = line.removesuffix("<unfinished ...>")
        elif "resumed>" in line:
            yield begun.pop(thread, "") + line.split("resumed>", 1)[1]
        else:
            yield line


@dataclasses.dataclass
class Change:
    """A change that may be lost until it is flushed."""

    file: str
    kind: str
    offset: int = 0
    data: bytes = b""
    other: str = ""


class Recording:
    """The recorded file operations and output of a program in a directory, in their order."""

    def __init__(self, lines, directory):
        self._directory = str(directory)
        self.events = []
        self._appended = {}
        for line in _whole(lines):
            match = _LINE.match(line)
            if match and int(match[3]) >= 0:
                self._add(match[1], match[2])

    def _add(self, call, arguments):
        path = _path(arguments)
        quoted = [_decode(text) for text in _QUOTED.findall(arguments)]
        inside = path.startswith(self._directory)
        if call in ("sendto", "sendmsg"):
            self.events += [("said", text) for text in quoted]
        elif call == "pwrite64" and inside:
            self.events.append(Change(path, "write", int(arguments.rsplit(",", 1)[1]), quoted[0]))
        elif call == "write" and inside:
            offset = self._appended.get(path, 0)
            self._appended[path] = offset + len(quoted[0])
            self.events.append(Change(path, "write", offset, quoted[0]))
        elif call == "ftruncate" and inside:
            self.events.append(Change(path, "size", int(arguments.rsplit(",", 1)[1])))
        elif call in ("fsync", "fdatasync") and inside:
            self.events.append(("flushed", path))
        elif call == "openat" and "O_CREAT" in arguments:
            name = quoted[-1].decode()
            if name.startswith(self._directory):
                self._appended.pop(name, None)
                self.events.append(Change(name, "make"))
        elif call.startswith("rename"):
            old, new = (text.decode() for text in quoted)
            if new.startswith(self._directory):
                self.events.append(Change(old, "rename", other=new))
        elif call.startswith("unlink") and quoted[-1].decode().startswith(self._directory):
            self.events.append(Change(quoted[-1].decode(), "unlink"))

    def said_before(self, end):
        """Returns all output before this event."""
        return [event[1] for event in self.events[:end] if isinstance(event, tuple) and event[0] == "said"]

    def image(self, start, end, chance):
        """Returns the files after a power failure at an event, given the files at the start."""
        events, kept = self.events[:end], []
        for number, event in enumerate(events):
            if isinstance(event, Change):
                flushed = any(self._flushes(later, event) for later in events[number + 1:])
                kept.append((event, flushed or chance.random() < 0.5))
        files = {name: bytearray(data) for name, data in start.items()}
        for change, is_kept in kept:
            self._apply(files, change, is_kept, chance)
        return {name: bytes(data) for name, data in files.items() if not name.endswith("-shm")}

    def _flushes(self, event, change):
        if not isinstance(event, tuple) or event[0] != "flushed":
            return False
        # Directory entries are flushed with the directory, not with the files.
        return event[1] == (change.file if change.kind in ("write", "size") else self._directory)

    @staticmethod
    def _apply(files, change, is_kept, chance):
        if change.kind == "make":
            # A file without directory entry loses its contents. An existing file stays.
            if is_kept:
                files.setdefault(change.file, bytearray())
        elif change.kind == "rename":
            if is_kept and change.file in files:
                files[change.other] = files.pop(change.file)
        elif change.kind == "unlink":
            if is_kept:
                files.pop(change.file, None)
        elif change.file in files:
            data = files[change.file]
            if change.kind == "size":
                if is_kept:
                    del data[change.offset:]
                return
            # Some sectors of unflushed data may be on the disk and others not.
            for place in range(0, len(change.data), SECTOR):
                if is_kept or chance.random() < 0.25:
                    part = change.data[place:place + SECTOR]
                    data.extend(bytes(max(0, change.offset + place + len(part) - len(data))))
                    data[change.offset + place:change.offset + place + len(part)] = part
