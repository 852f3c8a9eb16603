"""Expensive responses of a platform within the limits of the device service."""

import contextlib
import os

from harness import jose
from harness.client import RPCError

from .clients import at_once, line, members, request
from .registry import attack

LARGEST_ANSWER = 690 * 1024
"""Bytes; just below the largest response that a courier carries."""


def deliver(stage, batches: int, count: int, **claims):
    """Answers each poll at once with COUNT pushes, until the daemon has stored all batches."""
    asked = len(stage.courier.requests)
    stage.platform.batch = count
    stage.platform.deliver(*(stage.platform.sign_push(stage.platform.push_claims(**claims)) for _ in range(batches * count)))
    stage.courier.wait_for(lambda poll: poll.query.get("after") == f"c{batches}", asked)


@attack("polls with the maximum number of pushes at their maximum total size")
def full_polls(stage):
    deliver(stage, 8, 50, clientContext={"text": "x" * 5000}, title="x" * 200, body="x" * 400)


@attack("consecutive polls with one push of the maximum size each")
def single_pushes(stage):
    deliver(stage, 60, 1, clientContext={"text": "x" * 8000}, applicationContext={"text": "x" * 8000}, body="x" * 20_000)


@attack("polls full of silent pushes")
def silent_pushes(stage):
    deliver(stage, 8, 50, type="silent")
    stage.courier.wait_until(lambda: len(stage.platform.decisions) == 8 * 50)


@attack("polls full of cancellations of unknown pushes")
def cancellations(stage):
    asked = len(stage.courier.requests)
    stage.platform.deliver(*(stage.platform.sign_push(stage.platform.push_claims(type="cancel", cancels=f"never-{number}"))
                             for number in range(1000)))
    stage.courier.wait_for(lambda poll: poll.query.get("after") == "c20", asked)


def key_set(platform) -> str:
    """A set with the maximum number and size of keys, all but one of them new."""
    platform.version += 1
    others = [jose.integer(int.from_bytes(os.urandom(480)) | 1 << 3839 | 1) for _ in range(63)]
    keys = [{"kty": "RSA", "n": modulus, "e": "AQAB", "kid": f"k{number}"} for number, modulus in enumerate(others)]
    return platform.key_set([jose.named_jwk(platform.key), *keys])


@attack("introductions with 63 new platform keys each")
def other_keys(stage):
    stage.platform.forge("GET /platform-keys", lambda platform, request: request.reply(key_set(platform)))

    def begin_anew(client):
        for _ in range(3):
            # The daemon rejects a set that arrives after a newer one.
            with contextlib.suppress(RPCError):
                client.call("device.configure", geo="NorthAmerica")
            client.call("device.removeLocalData", confirm=True)

    at_once(members(stage, 14, 1), begin_anew)


@attack("device reports with the maximum number of users and long texts for each")
def long_reports(stage):
    users = [{"id": f"user-{number}", "username": "a" + "\u0301" * 120, "environment": {"id": stage.platform.ENVIRONMENT},
              "device": {"id": f"device-{number}", "nickname": "x\u202e" * 60, "pushEnabled": True}} for number in range(256)]
    stage.platform.forge("GET /info", lambda exchange: exchange.answer(200, {"users": users}))
    clients = [stage.connect() for _ in range(4)]
    for _ in range(10):
        for client in clients:
            client.write(line(request(1, "device.info")))
        for client in clients:
            assert len(client.receive()["result"]["geos"]["NorthAmerica"]["users"]) == len(users)


@attack("simultaneous responses that are small encoded and large in memory")
def answers_at_once(stage):
    held = stage.platform.hold("POST /authentication-codes/*/claim")
    clients = [stage.connect() for _ in range(14)]
    for client in clients:
        client.write(line(request(1, "authentication.start", code="ABCD1234")))
    exchanges = [held.next() for _ in clients]
    # Encoded once, because the daemon waits only a limited time for a response.
    lists = b"[" + b",".join([b'{"aaaaaaaaaaaa":[]}'] * 18_000) + b"]"
    answers = []
    for exchange in exchanges:
        claims = jose.dump(exchange.claims(200, {"x": 0})).replace(b'"x":0', b'"x":' + lists)
        answers.append(exchange.seal(exchange.sign(claims)))
        assert LARGEST_ANSWER * 0.9 < len(answers[-1]) < LARGEST_ANSWER
    for exchange, answer in zip(exchanges, answers):
        exchange.reply(answer)
    for client in clients:
        assert client.receive()["error"]["code"] == 10003
