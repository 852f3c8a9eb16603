"""What a member of the machine, or the author of a sign-on page, may try in order to keep others waiting.

Each attack is a function of a stage, which returns when there is nothing left of it to wait for. Tests run each of them
while somebody else asks for passcodes; `run --measure` prints what that came to as the table of Reliability.md.
"""

import contextlib
import json
import select
import socket
import threading

from harness.bystander import Bystander
from harness.issuer import Issuer

SETTINGS = [f"issuer = {Issuer.URL}", "client_id = client-1", "redirect_uri = http://127.0.0.1/callback",
            f"journey_server = {Issuer.ORIGIN}/am"]
"""What the stage of an attack is made with."""

MEMBER = 41_000

ATTACKS: dict = {}
"""The functions by what they do."""


def attack(name: str):
    def add(function):
        assert name not in ATTACKS
        ATTACKS[name] = function
        return function
    return add


def attacked(stage, name: str) -> tuple[float, int]:
    """How many seconds another owner waited at most during an attack, and how many bytes the daemon held at most."""
    stage.issuer = Issuer(stage.issuer_key, "client-1", stage.platform)
    stage.courier.origins[Issuer.ORIGIN] = stage.issuer
    stage.daemon.socket.chmod(0o666)
    stage.configure().pair()
    bystander = Bystander(stage.daemon.socket)
    # What a process waits for once, when it is young, is not the attack's.
    bystander.longest_wait()
    ATTACKS[name](stage)
    longest = bystander.longest_wait()
    bystander.leave()
    return longest, stage.daemon.peak_bytes()


def request(id, name: str, **params) -> dict:
    return {"jsonrpc": "2.0", "id": id, "method": name, "params": params}


def line(message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def push(clients, data: bytes, patience=1.0):
    """Writes the same to each client as fast as the daemon takes it; gives up where it takes no more."""
    left = {client: memoryview(data) for client in clients}
    for client in clients:
        client.socket.setblocking(False)
    while left:
        ready = select.select([], [client.socket for client in left], [], patience)[1]
        if not ready:
            break
        for client in [client for client in left if client.socket in ready]:
            try:
                left[client] = left[client][client.socket.send(left[client]):]
            except BlockingIOError:
                continue
            except BrokenPipeError:
                left[client] = b""
            if not left[client]:
                del left[client]


def pull(clients, patience=2.0):
    """Reads what comes and throws it away, until nothing comes for so long or the daemon has hung up."""
    for client in clients:
        client.socket.setblocking(False)
    open_ones = list(clients)
    while open_ones and (ready := select.select([client.socket for client in open_ones], [], [], patience)[0]):
        for client in [client for client in open_ones if client.socket in ready]:
            with contextlib.suppress(BlockingIOError):
                if not client.socket.recv(1 << 20):
                    open_ones.remove(client)


def members(stage, count: int, each: int = 16):
    return [stage.connect(MEMBER + number) for number in range(count) for _ in range(each)]


# Requests

DOCUMENTS = line([request(number, "rpc.discover") for number in range(15)] + [request(15, "device.info")])


@attack("a member's seven connections, each with 64 batches of the largest answer")
def batches_of_documents(stage):
    clients = members(stage, 1, 7)
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, DOCUMENTS * 64)
    reader.join()


@attack("the same of twelve members, none of whom reads an answer")
def batches_that_nobody_reads(stage):
    push(members(stage, 12), DOCUMENTS * 64)


@attack("sixteen connections of a member, each full of small requests")
def small_requests(stage):
    clients = members(stage, 1)
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, line(request(1, "service.status")) * 2000)
    reader.join()


@attack("connections of fourteen members, each with a line that does not end")
def lines_without_an_end(stage):
    push(members(stage, 14), b" " * 255 * 1024)


def long_request(id) -> bytes:
    """200 KiB that are held as long as the issuer is waited for."""
    parameters = {f"p{number}": "x" * 2000 for number in range(100)}
    return line(request(id, "login.start", method="signon", parameters=parameters))


@attack("requests with much to say that wait for an issuer which does not answer")
def requests_under_way(stage):
    stage.courier.origins[Issuer.ORIGIN] = lambda request: None
    clients = members(stage, 4)
    for client in clients[::16]:
        client.call("device.configure", geo="NorthAmerica")
    push(clients, b"".join(long_request(number) for number in range(40)))
    pull(clients, 0.5)


@attack("lines that are short to write and large to hold")
def lists_of_lists(stage):
    clients = members(stage, 1)
    nested = b"[" + b",".join([b"[1]"] * 60_000) + b"]"
    data = b'{"jsonrpc":"2.0","id":1,"method":"notification.process","params":{"payload":{"x":%s}}}\n' % nested
    push(clients, data * 8)
    pull(clients)


@attack("imports of a thousand accounts each, as many as a member may try")
def large_imports(stage):
    uris = "\n".join(f"otpauth://totp/issuer{number}:name?secret={'A' * 52}&digits=8" for number in range(1000))
    clients = members(stage, 1, 4)
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, line(request(1, "account.import", data=uris, format="uris", dryRun=True)) * 40)
    reader.join()


@attack("subscriptions that nobody reads, and pushes with as much in them as can be")
def events_that_nobody_reads(stage):
    clients = [stage.connect() for _ in range(12)]
    for client in clients:
        client.write(line([request(number, "event.subscribe") for number in range(16)]))
        client.line()
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    claims = {"clientContext": {"text": "x" * 8000}, "applicationContext": {"text": "x" * 8000}}
    for _ in range(80):
        stage.client.call("notification.process", payload=stage.platform.sign_push(stage.platform.push_claims(**claims)))


ERASE = request(1, "device.removeLocalData", confirm=True)


def write_again_and_again(clients, *requests):
    """Each of these clients as often as they may write."""
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, b"".join(line(one) for one in requests) * (120 // len(requests)))
    reader.join()


@attack("erasures by members who have nothing, as many as they may try")
def erasures_of_nothing(stage):
    write_again_and_again(members(stage, 14, 1), ERASE)


@attack("the same of members who begin anew each time")
def erasures_of_something(stage):
    stage.client.call("backup.create")
    uri = "otpauth://totp/name?secret=" + "A" * 52
    write_again_and_again(members(stage, 14, 1), request(1, "passcode.import", uri=uri), ERASE)


@attack("calls of fourteen members that are refused, each of which leaves an entry of the audit")
def refused_writes(stage):
    write_again_and_again(members(stage, 14, 1), request(1, "account.remove", account="acc_nobodys"))


@attack("backups, one after the other")
def backups(stage):
    write_again_and_again([stage.connect()], request(1, "backup.create"))


# Pages of a sign-on

def page(fields, values=None) -> dict:
    return {"id": "page", "eventName": "continue", "_links": {"next": {"href": f"{Issuer.ORIGIN}/davinci/next"}},
            "form": {"components": {"fields": fields}}, "formData": {"value": values or {}}}


def meet(stage, document: dict, values=None):
    """Has somebody sign on at a server that shows this page, and answer it where that can be done."""
    stage.issuer.forge("authorize", lambda issuer, request: request.reply_json(document))
    stage.issuer.forge("next", lambda issuer, request: request.reply_json(document))
    with stage.connect() as client:
        node = client.call("login.start", method="davinci")
        if values and node["node"] == "continue":
            return client.call("login.next", login=node["login"], values=values)
        return node


@attack("a page whose text grows when its links are put in")
def growing_text(stage):
    link = {"value": "x" * 100_000, "type": "link", "href": "https://issuer.test/" + "y" * 8000}
    rich = {"content": "{{a}}" * 25_000, "replacements": {"a": link}}
    node = meet(stage, page([{"type": "LABEL", "key": "text", "content": "text", "richContent": rich}]))
    assert node["cause"] == "TOO_LARGE"


@attack("a page with a first choice for each of its options")
def first_choices(stage):
    names = [f"o{number:03}" for number in range(450)]
    options = [{"value": name, "label": name} for name in names]
    fields = [{"type": "CHECKBOX", "inputType": "MULTI_SELECT", "key": f"choice{number}", "options": options}
              for number in range(8)]
    node = meet(stage, page(fields, {f"choice{number}": names * 2 for number in range(8)}))
    assert node["node"] == "continue"


@attack("a page of 60 patterns that take long")
def patterns(stage):
    fields = [{"type": "TEXT", "key": f"text{number}", "label": "x", "validation": {"regex": "^(a+)+$"}}
              for number in range(60)]
    node = meet(stage, page(fields), {f"text{number}": "a" * 1000 + "!" for number in range(60)})
    assert node["node"] == "continue"


@attack("a journey's step with very many rules for each value")
def many_rules(stage):
    rules = [f"r{number}" for number in range(1000)]
    policies = [{"policyRequirements": rules[start:start + 32], "params": {}} for start in range(0, 1000, 32)]
    callbacks = [{"type": "StringAttributeInputCallback", "input": [{"name": f"IDToken{number}", "value": ""}],
                  "output": [{"name": "policies", "value": policies}, {"name": "prompt", "value": "x"}]}
                 for number in range(24)]
    stage.courier.origins[Issuer.ORIGIN] = lambda request: request.reply_json({"authId": "a", "callbacks": callbacks})
    with stage.connect() as client:
        assert len(client.call("login.start", method="journey", journey="j")["collectors"]) == len(callbacks)


# Around the service


@attack("connections of a user that may not have any, while nobody reads the journal")
def refused_users(stage):
    with stage.daemon.journal.unread():
        for _ in range(5000):
            with contextlib.suppress(OSError), stage.connect(65_534) as client:
                client.line()
    # The pipe is full; what was lost is told with the next line, as soon as somebody has made room for it.
    while "lines were lost" not in stage.daemon.journal.text:
        stage.connect(65_534).close()


@attack("connections of very many users whom the machine does not know")
def strangers(stage):
    for uid in range(300_000, 304_000):
        with contextlib.suppress(OSError), stage.connect(uid) as client:
            if uid % 16 == 0:
                client.line()


@attack("connections that are made faster than they are accepted")
def many_connections(stage):
    def connect():
        for _ in range(3000):
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
                one.connect(str(stage.daemon.socket))
    threads = [threading.Thread(target=connect) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
