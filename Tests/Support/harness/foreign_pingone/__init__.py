"""A PingOne tenant that was written only from public information, independently of the code under test.

It has one environment: an issuer with a sign-on policy, and the API by which users manage their TOTP devices. The
two have separate origins, like `auth.pingone.com` and `api.pingone.com`. If Ping's documentation is ambiguous, this
tenant takes the variant that is harder for a client.
"""

from .faults import LOST, Held, Refusal
from .tenant import SELF_SERVICE, Tenant
from .world import ForeignPingOne

__all__ = ["LOST", "SELF_SERVICE", "ForeignPingOne", "Held", "Refusal", "Tenant"]
