"""The administrator's settings of the tenant, and its users."""

import dataclasses
import uuid

SELF_SERVICE = frozenset(f"p1:{action}:device" for action in ("create", "read", "update", "delete"))
"""The scopes for managing devices."""


@dataclasses.dataclass
class Tenant:
    """Settings, which a test may change at any time."""

    environment: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    client: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    redirect_uri: str = "http://127.0.0.1/callback"
    """Its port is ignored, as at PingOne."""
    users: dict = dataclasses.field(default_factory=dict)

    # The application
    granted: frozenset = SELF_SERVICE
    """The scopes of PingOne's API that the application may grant."""
    refuses_other_scopes: bool = False
    """True if requesting a scope that is not granted is an error. Otherwise it is dropped silently."""
    takes_pushed_requests: bool = True
    asks_for_passcode: bool = False
    """True if the sign-on policy requires a second factor after the password."""

    # The MFA policy
    allows_totp: bool = True
    """`totp.enabled`, which PingOne's default policy has off."""
    uri_parameters: dict = dataclasses.field(default_factory=dict)
    """`totp.uriParameters`: appended to the `keyUri`. Digits, period and algorithm take effect."""
    grace_windows: int = 5
    """`totp.passcodeGracePeriod`: number of windows by which a code may differ."""
    failures: int = 3
    """Number of consecutive wrong codes before further ones are rejected."""
    maximum_devices: int = 5
    allows_several_totp: bool = False

    # Peculiarities of its responses
    date_offset: int = 0
    """Seconds by which the server's clock is ahead, in the `Date` header and in the check of codes."""
    time_passed: int = 0
    """Seconds that have passed only for expiries at this server."""
    active_at_once: bool = False
    """A created device is returned as active and without its secret."""
    uri_has_other_secret: bool = False
    leads_elsewhere: bool = False
    """Links in responses point to the origin `elsewhere` of another party."""

    def __post_init__(self):
        for name in ("ann", "bob"):
            self.users[name] = {"id": str(uuid.uuid4()), "username": name, "password": f"password of {name}"}

    def user_by_id(self, identifier):
        return next((user for user in self.users.values() if user["id"] == identifier), None)
