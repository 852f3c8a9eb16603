"""Malformed and extreme request lines: each gets one reply, and the connection stays open."""

import json
import threading

import pytest

from harness.programs import PATIENCE

LIMIT = 256 * 1024


@pytest.fixture(scope="module")
def stage(shared_stage):
    return shared_stage


@pytest.fixture
def client(stage):
    with stage.connect() as client:
        yield client
        goes_on(client)


def goes_on(client):
    assert client.exchange(b'{"jsonrpc":"2.0","id":"still there","method":"pairing.list"}') == {
        "jsonrpc": "2.0", "id": "still there", "result": {"pairings": []}}


def fails(answer, code, reason):
    assert answer.keys() == {"jsonrpc", "id", "error"} and answer["jsonrpc"] == "2.0" and answer["id"] is None
    assert (answer["error"]["code"], answer["error"]["data"]["reason"]) == (code, reason)


def request(**members) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "pairing.list"} | members).encode()


NOT_JSON = {
    "a word": b"hello", "HTTP": b"GET / HTTP/1.1", "an open object": b'{"jsonrpc":"2.0"', "a lone quote": b'"',
    "a comma too many": request()[:-1] + b",}", "a comment": b"/* */" + request(), "two texts": request() * 2,
    "single quotes": request().replace(b'"', b"'"), "a bare name": request().replace(b'"id"', b"id"),
    "NaN": b'{"jsonrpc":"2.0","id":NaN,"method":"pairing.list"}', "a leading zero": request().replace(b"1,", b"01,"),
    "a plus": request().replace(b": 1,", b": +1,"), "a fraction without digits": request().replace(b": 1,", b": 1.,"),
    "hexadecimal": request().replace(b": 1,", b": 0x1,"), "True": request().replace(b": 1,", b": True,"),
    "a byte order mark": b"\xef\xbb\xbf" + request(), "UTF-16": request().decode().encode("utf-16-be"),
    "a byte of zero before": b"\0" + request(), "a byte of zero after": request() + b"\0",
    "a zero in a text": request(method="a\0b").replace(b"\\u0000", b"\0"),
    "a tab in a text": request(method="a\tb").replace(b"\\t", b"\t"),
    "an unknown escape": request(method="ab").replace(b"ab", b"a\\x62"), "a cut escape": b'"\\u12"',
    "bad UTF-8": request().replace(b"list", b"\xff"), "overlong UTF-8": request().replace(b"list", b"\xc0\xaf"),
    "a surrogate in UTF-8": request().replace(b"list", b"\xed\xa0\x80"),
    "past the last character": request().replace(b"list", b"\xf4\x90\x80\x80"),
    "a lone high surrogate": request().replace(b"list", b"\\ud800"),
    "a lone low surrogate": request().replace(b"list", b"\\udc00"),
    "surrogates in the wrong order": request().replace(b"list", b"\\udc00\\ud800"),
    "a high surrogate and a letter": request().replace(b"list", b"\\ud800\\u0041"),
    "white space of another kind": b"\xc2\xa0" + request(), "a vertical tab": b"\x0b" + request(),
    "brackets that do not match": b"[}", "only a comma": b",", "a minus": b"-",
}


@pytest.mark.parametrize("line", NOT_JSON)
def test_malformed_json_is_a_parse_error(client, line):
    fails(client.exchange(NOT_JSON[line]), -32700, "PARSE_ERROR")


NOT_REQUESTS = {
    "a number": b"1", "a text": b'"pairing.list"', "null": b"null", "true": b"true", "an empty object": b"{}",
    "no version": b'{"id":1,"method":"pairing.list"}', "version 1.0": request(jsonrpc="1.0"),
    "version a number": request(jsonrpc=2.0), "no method": b'{"jsonrpc":"2.0","id":1}', "method a number": request(method=1),
    "method null": request(method=None), "params a text": request(params="x"), "params a number": request(params=1),
    "params null": request(params=None), "params false": request(params=False), "an empty batch": b"[]",
    "id an object": request(id={}), "id a list": request(id=[1]), "id true": request(id=True),
    "id of 257 bytes": request(id="x" * 257), "id of 257 bytes in UTF-8": request(id="x").replace(b'"x"', b'"' + b"\xc3\xa9" * 128 + b'x"'),
}


@pytest.mark.parametrize("line", NOT_REQUESTS)
def test_json_that_is_not_a_request_is_an_invalid_request(client, line):
    fails(client.exchange(NOT_REQUESTS[line]), -32600, "INVALID_REQUEST")


@pytest.mark.parametrize("line", [
    request()[:-1] + b',"id":2}', request()[:-1] + b',"i\\u0064":2}', request(params={}).replace(b"{}", b'{"a":1,"a":1}'),
    request(params={}).replace(b"{}", b'{"a":[{"b":{"c":0,"c":0}}]}'), request()[:-1] + b',"x":{"":1,"":2}}',
    b"[" + request() + b"," + request()[:-1] + b',"method":"x"}]'])
def test_duplicate_member_name_rejects_the_line(client, line):
    fails(client.exchange(line), -32600, "DUPLICATE_NAME")


@pytest.mark.parametrize("many", [20, 2000])
def test_duplicate_name_among_many_members_is_detected(client, many):
    names = ",".join(f'"n{number}":0' for number in range(many))
    fails(client.exchange(request()[:-1] + f',"x":{{{names},"n{many - 1}":1}}}}'.encode()), -32600, "DUPLICATE_NAME")
    # Without the duplicate, `x` is an ignored member next to `params`.
    assert "result" in client.exchange(request()[:-1] + f',"x":{{{names}}}}}'.encode())


def nested(depth: int, opening=b"[", closing=b"]") -> bytes:
    """A request with DEPTH levels of nesting, including the request itself."""
    return request()[:-1] + b',"x":' + opening * (depth - 1) + closing * (depth - 1) + b"}"


def test_nesting_is_limited_to_32_levels(client):
    assert client.exchange(nested(32))["result"] == {"pairings": []}
    fails(client.exchange(nested(33)), -32600, "NESTING_TOO_DEEP")
    fails(client.exchange(nested(33, b'{"a":', b"}").replace(b":}", b":0}")), -32600, "NESTING_TOO_DEEP")


def test_extreme_nesting_is_rejected(client):
    fails(client.exchange(b"[" * 200_000), -32600, "NESTING_TOO_DEEP")
    fails(client.exchange(b'{"a":' * 50_000), -32600, "NESTING_TOO_DEEP")


def test_number_of_values_is_limited_by_the_length_of_the_line(client):
    def line(count: int) -> bytes:
        return request()[:-1] + b',"x":[' + b"1," * (count - 1) + b"1]}"

    assert client.exchange(line(16_000))["result"] == {"pairings": []}
    refusal = client.exchange(line(100_000))
    fails(refusal, -32600, "REQUEST_TOO_LARGE")
    assert "JSON values" in refusal["error"]["message"]


def padded(length: int) -> bytes:
    line = request(x="")
    return line.replace(b'"x": ""', b'"x": "' + b"x" * (length - len(line)) + b'"')


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_line_is_limited_to_256_kib(client, end):
    client.write(padded(LIMIT) + end)
    assert client.read_line()["result"] == {"pairings": []}
    client.write(padded(LIMIT + 1) + end)
    fails(client.read_line(), -32600, "REQUEST_TOO_LARGE")


def test_line_received_byte_by_byte_is_accepted(client):
    for byte in request(id="slowly") + b"\r\n":
        client.write(bytes([byte]))
    assert client.read_line()["id"] == "slowly"


def test_lines_are_split_independently_of_received_chunks(client):
    text = request(id="a") + b"\n" + request(id="b") + b"\n" + request(id="c")[:20]
    client.write(text)
    assert {client.read_line()["id"] for _ in "ab"} == {"a", "b"}
    client.write(request(id="c")[20:] + b"\n")
    assert client.read_line()["id"] == "c"


def test_empty_lines_are_ignored(client):
    assert client.exchange(b"\n\r\n\n" + request())["id"] == 1


def test_line_of_100_mb_is_discarded_in_bounded_memory(stage, client):
    before = stage.daemon.process.resident_bytes()
    chunk = b"x" * (1 << 20)
    writer = threading.Thread(target=lambda: [client.write(chunk) for _ in range(100)] + [client.write(b"\n")])
    writer.start()
    fails(client.read_line(), -32600, "REQUEST_TOO_LARGE")
    writer.join(PATIENCE)
    goes_on(client)
    assert stage.daemon.process.resident_bytes() - before < 8 << 20


IDS = [b"0", b"-1", b"-0", b"1.0", b"1e3", b"1E+03", b"0.1e-10", b"123456789012345678901234567890", b"null",
       b'""', b'"a"', b'"\\u0061"', b'"\\/"', '"é😀"'.encode(), b'"\\ud83d\\ude00"', b'"\\u0000"', b'"\\u202e"',
       b'"' + b"x" * 256 + b'"', b"9" * 256]


@pytest.mark.parametrize("id", IDS)
def test_request_id_is_returned_verbatim(client, id):
    for method in (b"pairing.list", b"no.such"):
        client.write(b'{"jsonrpc":"2.0","method":"' + method + b'","id": ' + id + b" }\n")
        assert client.line().startswith(b'{"jsonrpc":"2.0","id":' + id + b',"')


def test_request_without_id_gets_no_reply_even_if_it_fails(client):
    for line in (request(), request(method="no.such"), request(params={"no": 1}), request(params=[1])):
        members = json.loads(line)
        del members["id"]
        client.write(json.dumps(members).encode() + b"\n")
    goes_on(client)


@pytest.mark.parametrize("method", ["rpc", "rpc.", "rpc.x", "", "pairing.List", "pairing.list ", "pairing", "x" * 9999,
                                    "pairing.list\u0000", "../pairing.list", "event"])
def test_unknown_method_is_reported_without_repeating_its_name(client, method):
    answer = client.exchange(request(method=method))
    assert answer["id"] == 1 and (answer["error"]["code"], answer["error"]["data"]["reason"]) == (-32601, "METHOD_NOT_FOUND")
    assert len(method) < 6 or method not in json.dumps(answer)


def test_unfinished_line_at_the_end_of_input_is_dropped(stage):
    with stage.connect() as client:
        client.write(request(id="whole") + b"\n" + request(id="cut"))
        client.finish_writing()
        assert client.read_line()["id"] == "whole"
        assert client.line() is None
