"""The tenant with its two origins, and a third origin of another party."""

from .devices import Devices
from .http import Listener
from .issuer import Issuer
from .tenant import Tenant
from .tokens import Tokens


class ForeignPingOne:
    """`with ForeignPingOne() as pingone:`; the settings are those of `Tenant`.

    With `at_custom_domain`, the path of the issuer does not contain the environment.
    """

    def __init__(self, at_custom_domain=False, **settings):
        self.tenant = Tenant(**settings)
        self.auth, self.api, self.elsewhere = (Listener(self.tenant) for _ in range(3))
        self.devices = Devices(self)
        self._issuer = Issuer(self, "/as" if at_custom_domain else f"/{self.tenant.environment}/as")
        self.issuer = self._issuer.url
        self.tokens = Tokens(self.tenant, self.issuer, self.api.origin)
        self.auth.routes += self._issuer.routes()
        self.api.routes += self.devices.routes()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for listener in (self.auth, self.api, self.elsewhere):
            listener.close()

    @property
    def users(self):
        return self.tenant.users

    @property
    def settings(self):
        """The settings of a daemon for this tenant, which has no device service."""
        return {"issuer": self.issuer, "client_id": self.tenant.client}

    @property
    def self_service(self):
        """The settings for an issuer URL without region and environment, such as a loopback address."""
        return {"pingone_api": self.api.origin, "pingone_environment": self.tenant.environment}

    @property
    def secrets(self):
        """Secrets that no journal may contain."""
        passwords = [user["password"] for user in self.users.values()]
        return passwords + [device.secret for device in self.devices.all]
