"""The complete setup of a test: daemon, client, courier, platform, issuer."""

import json
import pathlib

from .. import jose
from ..daemon import Daemon
from ..programs import MFAD
from ..scripted_courier import ScriptedCourier
from .issuer import Issuer
from .platform import Platform


class Stage:
    """A daemon with a courier, a platform and an issuer that the test controls."""

    ISSUER = "https://issuer.test/env/as"
    CLIENT = "client-of-the-test"

    def __init__(self, directory: pathlib.Path, issuer_key, *, platform=None, start=True, wrapper=(), umask=0o022,
                 program=MFAD, **settings):
        self.directory = directory
        self.issuer_key = issuer_key
        self.courier = ScriptedCourier(directory / "courier.sock")
        self.platform = platform or Platform()
        self.courier.origins[Platform.URL] = self.platform
        self.key_file = directory / "issuer.jwks"
        self.publish(jose.public_jwk(issuer_key, kid="k1", use="sig", alg="RS256"))
        self.settings = {"socket": directory / "mfad.sock", "courier_socket": self.courier.path,
                         "allow_loopback_http": None, "redirect_uri": None} | (settings or {
                             "issuer": self.ISSUER, "issuer_jwks": f"{self.ISSUER}={self.key_file}",
                             "client_id": self.CLIENT, "redirect_uri": "http://127.0.0.1/callback"})
        self.daemon = Daemon(directory, self.platform, wrapper, umask=umask, program=program, is_checked=False, **self.settings)
        if start:
            self.start()

    def start(self):
        self.daemon.configure(**self.settings)
        self.daemon.start()
        self.client = self.connect()

    def restart(self):
        """Restarts the daemon like a service manager, with the same state."""
        self.daemon.stop()
        self.start()

    def reload(self, **settings):
        """Reloads the daemon with changed settings."""
        self.settings |= settings
        self.daemon.reload(**self.settings)

    def connect(self, uid=None):
        return self.daemon.client(uid)

    def publish(self, *keys):
        self.key_file.write_text(json.dumps({"keys": list(keys)}))

    def add_issuer(self) -> Issuer:
        """Adds an issuer to the courier, as named by `Issuer.SETTINGS`."""
        self.issuer = self.courier.origins[Issuer.ORIGIN] = Issuer(self.issuer_key, Issuer.CLIENT, self.platform)
        return self.issuer

    def configure(self):
        self.device = self.client.call("device.configure", geo="NorthAmerica")["deviceId"]
        return self

    def pair(self, username="ann", client=None) -> str:
        """Pairs and returns the account's id."""
        client = client or self.client
        return client.call("pairing.pair", pairingKey=self.platform.make_pairing_key(username))["account"]

    def state(self, client=None) -> dict:
        """Returns all visible data of an owner."""
        client = client or self.client
        return {"accounts": client.call("account.list")["accounts"],
                "pairings": client.call("pairing.list")["pairings"],
                "notifications": client.call("notification.list")["notifications"],
                "authentications": client.call("authentication.list")["authentications"]}

    def close(self):
        if self.daemon.process:
            self.daemon.close_clients()
            self.daemon.stop()
        self.courier.close()
        assert not self.platform.violations, f"the daemon broke the device protocol: {self.platform.violations}"
