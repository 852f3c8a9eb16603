"""Key sets that are not the platform's, and a check that a daemon accepts none of them."""

from .. import jose
from .platform import Platform

OTHER = 40_001
ANOTHER = jose.p256()


def named(key):
    return jose.named_jwk(key)


def trusts_nobody(stage, client, code):
    before = len(stage.courier.requests)
    error = client.refusal("device.configure", geo="NorthAmerica")
    assert (error.code, error.details) == (code, {"origin": "https://platform.test"})
    # A daemon automatically sends requests for trusted identities at its start.
    asked = [request.path for request in stage.courier.requests[before:] if request.path != "/device/v1/info"]
    assert asked == ["/device/v1/platform-keys"], "it introduced itself nevertheless"
    assert client.call("service.status")["owner"]["configured"] is False


FORGED_SETS = {
    "signed by another key": lambda p: p.key_set(key=ANOTHER),
    "signed by another key under its name": lambda p: p.key_set(key=ANOTHER, kid=named(p.key)["kid"]),
    "with another's key, signed by that": lambda p: p.key_set([named(ANOTHER)], key=ANOTHER),
    "with both keys, signed by the other": lambda p: p.key_set([named(p.key), named(ANOTHER)], key=ANOTHER),
    "with another's key under the held name": lambda p: p.key_set(
        [jose.public_jwk(ANOTHER) | {"kid": named(p.key)["kid"]}], key=ANOTHER, kid=named(p.key)["kid"]),
    "with a bit turned": lambda p: jose.flip(p.key_set(), 2),
    "unsigned": lambda p: jose.compact({"alg": "none", "typ": "platform-keys+jwt"}, {"keys": [named(p.key)], "version": 9}, None, "none"),
    "signed with a secret": lambda p: jose.compact(
        {"alg": "HS256", "typ": "platform-keys+jwt", "kid": named(p.key)["kid"]}, {"keys": [named(p.key)], "version": 9},
        jose.unb64(jose.public_jwk(p.key)["x"]), "HS256"),
    "of an older version": lambda p: p.key_set(version=4),
    "of no version": lambda p: p.key_set(version="5"),
    "with crit": lambda p: p.key_set(crit=["version"]),
}


def failures(stage):
    """Returns the errors of a `device.info` call, which the platform would answer."""
    users = [{"id": entry["user"]["id"], "username": entry["user"]["username"],
              "environment": {"id": Platform.ENVIRONMENT}, "device": {"id": "d1", "pushEnabled": True}}
             for entry in stage.platform.pairings.values()]
    stage.platform.forge("GET /info", lambda exchange: exchange.answer(200, {"users": users}))
    return [error["code"] for error in stage.client.call("device.info")["errors"]]


def failures_from_now_on(stage):
    """Like `failures`, without results of the daemon's earlier key requests, which concurrent callers share."""
    failures(stage)
    return failures(stage)
