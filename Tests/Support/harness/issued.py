"""The tokens that an issuer issues, read from its output, since it stores only their digests."""

import re

from .tracer import Tracer

_TOKEN = re.compile(r'"(access_token|id_token|refresh_token)" ?: ?"([^"]+)"')
_BYTES = re.compile(r"\\x([0-9a-f]{2})")


class Issued:
    """Traces a sandbox. `tokens` ends the trace and returns the issued tokens by type and position."""

    def __init__(self, sandbox, report):
        self._tracer = Tracer(sandbox.process.pid, report, "-f", "-xx", "-s", "1000000",
                              "-e", "trace=write,writev,sendto,sendmsg")

    def tokens(self):
        """Returns the tokens by name."""
        sent = bytes.fromhex("".join(part for line in self._tracer.stop() for part in _BYTES.findall(line)))
        found = _TOKEN.findall(sent.decode(errors="replace"))
        return {f"{kind} {place}": token for place, (kind, token) in enumerate(found)}
