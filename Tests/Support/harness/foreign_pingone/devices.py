"""The API by which a user manages devices: `/v1/environments/<environment>/users/<user>/devices`."""

import re
import time

from .device import Device
from .faults import Refusal
from .http import Response

ACTIVATION = "application/vnd.pingidentity.device.activate+json"


class Devices:
    """All users' devices, and the routes to them."""

    def __init__(self, world):
        self.world, self.tenant = world, world.tenant
        self.all = []

    def routes(self):
        base = f"/v1/environments/{re.escape(self.tenant.environment)}/users/([^/]+)/devices"
        needs = self._needing
        return [
            ("POST", base, "create", needs("create", self.create)),
            ("GET", base, "list", needs("read", self.list)),
            ("GET", base + "/([^/]+)", "read", needs("read", self.read)),
            ("POST", base + "/([^/]+)", "activate", needs("update", self.activate)),
            ("PUT", base + "/([^/]+)/nickname", "rename", needs("update", self.rename)),
            ("DELETE", base + "/([^/]+)", "delete", needs("delete", self.delete)),
        ]

    def _needing(self, action, function):
        """A route that requires a scope, for the user's own devices only."""

        def guarded(request, user, *more):
            self.world.tokens.check(request)
            if f"p1:{action}:device" not in request.scope or request.user is None or request.user["id"] != user:
                raise Refusal(403, "ACCESS_FAILED")
            return function(request, *more)

        return guarded

    # Test interface

    def of(self, username):
        """Returns the devices of a user, oldest first."""
        return [device for device in self.all if device.user["username"] == username]

    def add(self, username, kind="TOTP", nickname=None, age=0):
        """Adds a device that the user created on another machine, `age` seconds ago."""
        device = Device(self.tenant, self.tenant.users[username], kind, "ACTIVE", nickname)
        device.created = device.updated = time.time() - age
        self.all.append(device)
        return device

    def remove(self, device):
        """Removes a device, as an administrator."""
        self.all.remove(device)

    def first_active(self, user):
        """Returns the device for the sign-on, which is the oldest one."""
        mine = (each for each in self.of(user["username"]) if each.type == "TOTP" and each.status == "ACTIVE")
        return next(mine, None)

    # Routes

    def _document(self, device, with_secret=False):
        origin = self.world.elsewhere.origin if self.tenant.leads_elsewhere else self.world.api.origin
        path = f"/v1/environments/{self.tenant.environment}/users/{device.user['id']}/devices/{device.id}"
        return device.document(origin + path, with_secret)

    def _find(self, request, identifier):
        for device in self.of(request.user["username"]):
            if device.id == identifier:
                return device
        raise Refusal(404, "NOT_FOUND")

    def create(self, request):
        body, mine = request.json(), self.of(request.user["username"])
        if body.get("type") != "TOTP" or not self.tenant.allows_totp:
            raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "type", {"allowedValues": ["EMAIL"]})
        if sum(device.status == "ACTIVE" for device in mine) >= self.tenant.maximum_devices:
            raise Refusal(429, "REQUEST_LIMITED", "LIMIT_EXCEEDED")
        active = [device for device in mine if device.type == "TOTP" and device.status == "ACTIVE"]
        if active and not self.tenant.allows_several_totp:
            raise Refusal(409, "UNIQUENESS_VIOLATION", "UNIQUENESS_VIOLATION", "type")
        device = Device(self.tenant, request.user, nickname=body.get("nickname"))
        if self.tenant.active_at_once:
            device.status = "ACTIVE"
        self.all.append(device)
        return Response(201, self._document(device, with_secret=not self.tenant.active_at_once))

    def list(self, request):
        wanted = request.query.get("filter")
        if wanted not in (None, 'status eq "ACTIVE"'):
            raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "filter")
        mine = [each for each in self.of(request.user["username"]) if wanted is None or each.status == "ACTIVE"]
        shown = [self._document(device) for device in mine]
        links = {"self": {"href": f"{self.world.api.origin}{request.path}"}}
        return Response(body={"_links": links, "_embedded": {"devices": shown}, "size": len(shown)})

    def read(self, request, identifier):
        return Response(body=self._document(self._find(request, identifier)))

    def activate(self, request, identifier):
        device = self._find(request, identifier)
        device.activate(request.json(ACTIVATION).get("otp"))
        return Response(body=self._document(device))

    def rename(self, request, identifier):
        device = self._find(request, identifier)
        device.rename(request.json().get("nickname"))
        return Response(body=self._document(device))

    def delete(self, request, identifier):
        self.all.remove(self._find(request, identifier))
        return Response(204)
