"""A PingOne tenant that was written from what is public about PingOne, and from nothing of what is under test.

It is of one environment: an issuer with a sign-on policy, and the API by which its users manage their devices of type
TOTP. The two have origins of their own, as `auth.pingone.com` and `api.pingone.com` have. Where Ping's documents leave
something open, it does what is harder for a client.
"""

from .faults import LOST, Held, Refusal
from .tenant import SELF_SERVICE, Tenant
from .world import ForeignPingOne

__all__ = ["LOST", "SELF_SERVICE", "ForeignPingOne", "Held", "Refusal", "Tenant"]
