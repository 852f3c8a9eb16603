"""One request to the platform of the device service, and the protection of its response."""

import hashlib
import json

import jwt

from .. import jose


class Exchange:
    """One decrypted and checked request to the platform, with the steps to protect its response."""

    def __init__(self, platform, request):
        self.platform, self.request = platform, request
        self.path = request.path.removeprefix("/device/v1")
        parts = self.path.split("/")
        self.route = f"{request.method} " + "/".join("*" if index == 2 else part for index, part in enumerate(parts))
        self.content = None
        if request.body:
            header, plaintext = jose.unseal(request.body.decode(), platform.key)
            platform.check(header["typ"] == "device-request+jwe", "the request's typ")
            self.content = json.loads(plaintext)
        self.body = (self.content or {}).get("body", {})
        self._check_proof()
        if self.route == "POST /polls":
            self.asked = dict(self._check_poll(poll) for poll in self.body["polls"])

    def _check_proof(self):
        request, check = self.request, self.platform.check
        proof = request.headers["device-proof"]
        header = jwt.get_unverified_header(proof)
        check(header["alg"] == "ES256" and header["typ"] == "device-proof+jwt", "alg and typ of the proof")
        check(("jwk" in header) != ("kid" in header), "either jwk or kid")
        jwk = header.get("jwk") or self.platform.device_keys.get(header.get("kid"))
        self.is_known = jwk is not None
        # The daemon tests new keys in a separate request if the platform may have accepted them.
        check(self.is_known or self.route == "POST /keys", "a proof by a known key")
        if self.is_known:
            check("d" not in jwk, "no private member in the proof's jwk")
            self.proof = jwt.decode(proof, jwt.PyJWK(jwk | {"alg": "ES256"}), algorithms=["ES256"],
                                    options={"verify_aud": False, "verify_iat": False})
            self.thumbprint = jose.thumbprint(jwk)
            device = self.platform.devices.get(self.thumbprint)
            check(self.proof.get("sub") == (device if "kid" in header else None), "sub is the device, at first absent")
            self.device_key, self.asked = jwk, {device: jwk}
        else:
            self.proof, self.thumbprint = jwt.decode(proof, options={"verify_signature": False}), header["kid"]
        check(self.proof["htm"] == request.method and self.proof["htu"] == request.url, "htm and htu")
        check(self.proof["bh"] == jose.b64(hashlib.sha256(request.body).digest()), "bh is the body's hash")
        check(type(self.proof["iat"]) is int, "iat is an integer")
        check(self.proof["jti"] not in self.platform.proof_ids, "jti was never seen before")
        self.platform.proof_ids.add(self.proof["jti"])
        named = request.headers.get("device-answer-key")
        if named is None:
            check("ak" not in self.proof, "no ak without its header")
            self.answer_key = self.content["answerKey"]
        else:
            check(self.proof["ak"] == jose.b64(hashlib.sha256(named.encode()).digest()), "ak is the header's hash")
            self.answer_key = json.loads(jose.unb64(named))
        thumbprint = jose.thumbprint(self.answer_key)
        check("d" not in self.answer_key and thumbprint not in self.platform.answer_keys, "a fresh answer key")
        self.platform.answer_keys.add(thumbprint)

    def _check_poll(self, poll: dict) -> tuple[str, dict]:
        """Checks the part of one device in a poll for several devices. Returns the device and its key."""
        header = jose.header(poll["proof"])
        jwk = self.platform.device_keys[header["kid"]]
        claims = jwt.decode(poll["proof"], jwt.PyJWK(jwk | {"alg": "ES256"}), algorithms=["ES256"])
        self.platform.check(header["typ"] == "poll-proof+jwt", "typ of the poll's proof")
        self.platform.check(claims == {"jti": self.proof["jti"], "sub": poll["deviceId"]}, "the poll's proof is of this request")
        self.platform.check(self.platform.devices[header["kid"]] == poll["deviceId"], "each device proves its own part")
        return poll["deviceId"], jwk

    @property
    def does_not_wait(self) -> bool:
        """True if a poll requires an immediate response, even an empty one."""
        return self.request.query.get("wait") == "0"

    def honest(self):
        """Executes the request like an honest platform. Returns status and body."""
        return self.platform.carry_out(self)

    def claims(self, status: int, body, **others) -> dict:
        claims = {"status": status, "rid": self.proof["jti"], "aud": self.thumbprint, "iat": self.platform.now()}
        return claims | ({"body": body} if body is not None else {}) | others

    def sign(self, claims, key=None, **header) -> str:
        key = key or self.platform.key
        head = {"alg": "ES256", "typ": "device-answer+jwt", "kid": jose.named_jwk(key)["kid"]} | header
        return jose.compact(head, claims, key, "ES256")

    def seal(self, token: str, recipient=None, **header) -> str:
        return jose.seal(token.encode(), recipient or self.answer_key, **({"typ": "device-answer+jwe"} | header))

    def reply(self, body, status=200):
        self.request.reply(body, status, [("Content-Type", "application/jose")])

    def answer(self, status: int, body=None, **others):
        self.reply(self.seal(self.sign(self.claims(status, body, **others))))

    def tell(self, device: str, *pushes, cursor="c", more=False):
        """Answers a poll with pushes of one of its devices, and with nothing for the others."""
        news = {"notifications": list(pushes), "cursor": cursor, "more": more}
        if self.route != "POST /polls":
            return self.answer(200, news)
        self.answer(200, {"devices": {device: self.part(device, news)}})

    def part(self, device: str, news) -> str:
        """Returns the part for one of several devices, encrypted to that device."""
        return jose.seal(json.dumps(news).encode(), self.asked[device], typ="poll-part+jwe")

    def answer_honestly(self):
        self.answer(*self.honest())
