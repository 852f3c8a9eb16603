"""The tokens that an issuer hands out, read from what its process sends, since it keeps no more than their digests."""

import re

from .tracer import Tracer

_TOKEN = re.compile(r'"(access_token|id_token|refresh_token)" ?: ?"([^"]+)"')
_BYTES = re.compile(r"\\x([0-9a-f]{2})")


class Issued:
    """Watches a sandbox; `tokens` ends that and tells what was handed out, by its kind and place."""

    def __init__(self, sandbox, report):
        self._tracer = Tracer(sandbox.process.pid, report, "-f", "-xx", "-s", "1000000",
                              "-e", "trace=write,writev,sendto,sendmsg")

    def tokens(self):
        """A name for each token."""
        sent = bytes.fromhex("".join(part for line in self._tracer.stop() for part in _BYTES.findall(line)))
        found = _TOKEN.findall(sent.decode(errors="replace"))
        return {f"{kind} {place}": token for place, (kind, token) in enumerate(found)}
