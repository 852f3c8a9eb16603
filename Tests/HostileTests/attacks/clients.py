"""What members of the machine attack with: many connections, each written to as fast as the daemon takes it."""

import concurrent.futures
import contextlib
import json
import select
import threading

MEMBER = 41_000

CROWD = 20_000
"""The first of six hundred members, for what takes more of them."""


def request(id, name: str, **params) -> dict:
    return {"jsonrpc": "2.0", "id": id, "method": name, "params": params}


def line(message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


DOCUMENTS = line([request(number, "rpc.discover") for number in range(15)] + [request(15, "device.info")])
"""A batch with the largest answer that there is."""


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


def members(stage, count: int, each: int = 16, first: int = MEMBER):
    return [stage.connect(first + number) for number in range(count) for _ in range(each)]


def ask(clients, data: bytes):
    """Writes the same to each client, and reads all that comes of it."""
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, data)
    reader.join()


def write_again_and_again(clients, *requests):
    """Each of these clients as often as they may write."""
    ask(clients, b"".join(line(one) for one in requests) * (120 // len(requests)))


def at_once(clients, act):
    """Has each client do something, all at the same time; what goes wrong for one goes wrong for all."""
    with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(act, clients))
