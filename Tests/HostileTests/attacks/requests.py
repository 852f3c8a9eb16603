"""Requests of local users that are numerous or large, or that leave their replies unread."""

import socket
import threading

from harness import jose
from harness.hostile.issuer import Issuer

from .clients import DOCUMENTS, MEMBER, line, members, pull, push, request
from .registry import attack


@attack("seven connections of a member, each with 64 batches with the largest reply", is_short=True)
def batches_of_documents(stage):
    clients = members(stage, 1, 7)
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, DOCUMENTS * 64)
    reader.join()


@attack("the same from twelve members that read no replies", is_short=True)
def batches_that_nobody_reads(stage):
    push(members(stage, 12), DOCUMENTS * 64)


@attack("sixteen connections of a member, each full of small requests")
def small_requests(stage):
    clients = members(stage, 1)
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, line(request(1, "service.status")) * 2000)
    reader.join()


@attack("connections of fourteen members, each with an unterminated line")
def lines_without_an_end(stage):
    push(members(stage, 14), b" " * 255 * 1024)


def long_request(id) -> bytes:
    """A request of 200 KiB that the daemon holds while it waits for the issuer."""
    parameters = {f"p{number}": "x" * 2000 for number in range(100)}
    return line(request(id, "login.start", method="signon", parameters=parameters))


@attack("large requests that wait for an issuer that does not respond")
def requests_under_way(stage):
    stage.courier.origins[Issuer.ORIGIN] = lambda request: None
    clients = members(stage, 4)
    for client in clients[::16]:
        client.call("device.configure", geo="NorthAmerica")
    push(clients, b"".join(long_request(number) for number in range(40)))
    pull(clients, 0.5)


def large_token() -> str:
    """A token of 64 KiB that the daemon holds while it waits for the keys of its issuer."""
    claims = {"iss": Issuer.URL, "aud": "client-1", "exp": 4_000_000_000, "x": "x" * 48_500}
    return ".".join(jose.b64(part) for part in (jose.dump({"alg": "RS256", "kid": "k1"}), jose.dump(claims), b"x" * 256))


@attack("the same from programs that exit, while another member sets a PIN and uses it", derives=True)
def pin_beside_requests_of_nobody(stage):
    stage.courier.origins[Issuer.ORIGIN] = lambda request: None
    for client in members(stage, 13, 1):
        client.call("device.configure", geo="NorthAmerica")
    sign_ons = b"".join(long_request(number) for number in range(4))
    pairings = b"".join(line(request(number, "pairing.processIdToken", idToken=large_token())) for number in range(20))
    # The memory of the open connections limits the amount for each round.
    for data in [sign_ons] + [pairings] * 4:
        clients = members(stage, 13, 1)
        push(clients, data, patience=0.3)
        for client in clients:
            client.close()
    client = stage.connect(MEMBER + 13)
    client.call("lock.set", pin="correct horse")
    client.call("lock.now")
    client.call("lock.unlock", pin="correct horse")


@attack("requests that are small encoded and large in memory")
def lists_of_lists(stage):
    clients = members(stage, 1)
    nested = b"[" + b",".join([b'{"aaaaaaa":[]}'] * 15_000) + b"]"
    data = b'{"jsonrpc":"2.0","id":1,"method":"notification.process","params":{"payload":{"x":%s}}}\n' % nested
    push(clients, data * 8)
    pull(clients)


@attack("imports of 1,000 accounts each, up to the write limit of a member")
def large_imports(stage):
    uris = "\n".join(f"otpauth://totp/issuer{number}:name?secret={'A' * 52}&digits=8" for number in range(1000))
    clients = members(stage, 1, 4)
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, line(request(1, "account.import", data=uris, format="uris", dryRun=True)) * 40)
    reader.join()


@attack("unread subscriptions, and pushes with the largest contexts")
def events_that_nobody_reads(stage):
    clients = [stage.connect() for _ in range(12)]
    for client in clients:
        client.write(line([request(number, "event.subscribe") for number in range(16)]))
        client.line()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    claims = {"clientContext": {"text": "x" * 8000}, "applicationContext": {"text": "x" * 8000}}
    for _ in range(80):
        stage.client.call("notification.process", payload=stage.platform.sign_push(stage.platform.push_claims(**claims)))
