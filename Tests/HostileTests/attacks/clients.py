"""Clients of the attacks: many connections, each written to as fast as the daemon reads."""

import concurrent.futures
import contextlib
import json
import select
import threading

MEMBER = 41_000

CROWD = 20_000
"""First UID of six hundred members, for attacks that need more members."""


def request(id, name: str, **params) -> dict:
    return {"jsonrpc": "2.0", "id": id, "method": name, "params": params}


def line(message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


DOCUMENTS = line([request(number, "rpc.discover") for number in range(15)] + [request(15, "device.info")])
"""A batch with the largest possible reply."""


def push(clients, data: bytes, patience=1.0):
    """Writes the data to each client as fast as the daemon reads. Stops when the daemon reads no more."""
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
    """Reads and discards replies until none arrives for PATIENCE seconds or the daemon closes the connections."""
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
    """Writes the data to each client, and reads all replies."""
    reader = threading.Thread(target=pull, args=[clients])
    reader.start()
    push(clients, data)
    reader.join()


def write_again_and_again(clients, *requests):
    """Sends the requests from each client as often as the write limit allows."""
    ask(clients, b"".join(line(one) for one in requests) * (120 // len(requests)))


def at_once(clients, act):
    """Calls ACT for all clients concurrently. Raises the first error."""
    with concurrent.futures.ThreadPoolExecutor(len(clients)) as pool:
        list(pool.map(act, clients))
