"""What the administrator of the tenant has set, and who its users are."""

import dataclasses
import uuid

SELF_SERVICE = frozenset(f"p1:{action}:device" for action in ("create", "read", "update", "delete"))
"""The scopes by which a user manages devices."""


@dataclasses.dataclass
class Tenant:
    """Settings; a test changes them whenever it likes."""

    environment: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    client: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    redirect_uri: str = "http://127.0.0.1/callback"
    """Its port does not count, as at PingOne."""
    users: dict = dataclasses.field(default_factory=dict)

    # The application
    granted: frozenset = SELF_SERVICE
    """The scopes of PingOne's API that the application may hand out."""
    refuses_other_scopes: bool = False
    """Whether asking for a scope that is not granted is an error; else it is dropped silently."""
    takes_pushed_requests: bool = True
    asks_for_passcode: bool = False
    """Whether the sign-on policy has a step for a second factor after the password."""

    # The MFA policy
    allows_totp: bool = True
    """Whether `totp.enabled`; PingOne's default policy says no."""
    uri_parameters: dict = dataclasses.field(default_factory=dict)
    """`totp.uriParameters`: what is appended to the `keyUri`; digits, period and algorithm count."""
    grace_windows: int = 5
    """`totp.passcodeGracePeriod`: how many windows a code may be off."""
    failures: int = 3
    """How many wrong codes in a row are listened to."""
    maximum_devices: int = 5
    allows_several_totp: bool = False

    # What is odd about its answers
    date_offset: int = 0
    """Seconds by which the server's clock is ahead, in the `Date` field and in its judgement of codes."""
    time_passed: int = 0
    """Seconds that have gone by for what expires here, and for nobody else."""
    active_at_once: bool = False
    """A created device is answered as active and without its secret."""
    uri_has_other_secret: bool = False
    leads_elsewhere: bool = False
    """Links in answers lead to the origin `elsewhere`, which belongs to somebody else."""

    def __post_init__(self):
        for name in ("ann", "bob"):
            self.users[name] = {"id": str(uuid.uuid4()), "username": name, "password": f"password of {name}"}

    def user_by_id(self, identifier):
        return next((user for user in self.users.values() if user["id"] == identifier), None)
