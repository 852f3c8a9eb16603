"""Everything that a test needs, wired: daemon, client, courier, platform, issuer."""

import json
import pathlib

from .. import jose
from .courier import Courier
from .daemon import Daemon
from .platform import Platform


class Stage:
    """A daemon whose courier, platform and issuer are in the test's hands."""

    ISSUER = "https://issuer.test/env/as"
    CLIENT = "client-of-the-test"

    def __init__(self, directory: pathlib.Path, issuer_key, *settings, platform=None, start=True, **options):
        self.directory = directory
        self.issuer_key = issuer_key
        self.courier = Courier(directory / "courier.sock")
        self.platform = platform or Platform()
        self.courier.origins[Platform.URL] = self.platform
        self.key_file = directory / "issuer.jwks"
        self.publish(jose.public_jwk(issuer_key, kid="k1", use="sig", alg="RS256"))
        self.settings = [f"platform = {Platform.URL}", f"courier_socket = {directory}/courier.sock",
                         "log_level = debug", *(settings or [
                             f"issuer = {self.ISSUER}", f"issuer_jwks = {self.ISSUER}={self.key_file}",
                             f"client_id = {self.CLIENT}", "redirect_uri = http://127.0.0.1/callback"])]
        self.options = options
        self.clients = []
        if start:
            self.start()

    def start(self):
        self.daemon = Daemon(self.directory, self.settings, **self.options)
        self.client = self.connect()

    def restart(self, **options):
        """Ends the daemon as a service manager would and starts it over the same state."""
        self.daemon.stop()
        self.options |= options
        self.start()

    def connect(self, uid=None):
        client = self.daemon.connect(uid)
        self.clients.append(client)
        return client

    def publish(self, *keys):
        self.key_file.write_text(json.dumps({"keys": list(keys)}))

    def configure(self):
        self.device = self.client.call("device.configure", geo="NorthAmerica")["deviceId"]
        return self

    def pair(self, username="ann", client=None) -> str:
        """Pairs and returns the account's id."""
        client = client or self.client
        return client.call("pairing.pair", pairingKey=self.platform.make_pairing_key(username))["account"]

    def state(self, client=None) -> dict:
        """All that an owner can see of their own state."""
        client = client or self.client
        return {"accounts": client.call("account.list")["accounts"],
                "pairings": client.call("pairing.list")["pairings"],
                "notifications": client.call("notification.list")["notifications"],
                "authentications": client.call("authentication.list")["authentications"]}

    def close(self):
        for client in self.clients:
            client.close()
        if hasattr(self, "daemon"):
            self.daemon.stop()
        self.courier.close()
        assert not self.platform.violations, f"the daemon broke the device protocol: {self.platform.violations}"
