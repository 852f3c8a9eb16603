"""Writes exports of other authenticators, made with independent libraries, and passcodes of pyotp to stdout as JSON.

usage: exports.py [ACCOUNTS [PASSWORD]]
"""
import base64
import csv
import hashlib
import io
import json
import os
import random
import struct
import sys

import pyotp
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.pbkdf2 import PBKDF2HMAC
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 60
PASSWORD = sys.argv[2] if len(sys.argv) > 2 else "correct horse ß battery"
numbers = random.Random(20261122)


def text(data):
    return base64.b64encode(data).decode()


def account(index):
    secret = base64.b32encode(numbers.randbytes(numbers.randint(10, 64))).decode().rstrip("=")
    kind = numbers.choice(["totp", "hotp"])
    one = {
        "type": kind, "secret": secret, "algorithm": numbers.choice(["SHA1", "SHA256", "SHA512"]),
        "digits": numbers.choice([6, 7, 8]), "issuer": f"Issuer {index} & Söhne", "label": f"user{index}@example.com",
    }
    if kind == "totp":
        one["period"] = numbers.choice([15, 30, 60, 90, 120])
        one["instant"] = numbers.randint(0, 4_000_000_000)
    else:
        one["counter"] = numbers.choice([0, 1, numbers.randint(2, 2**31), 2**53])
    return one


def otp(one):
    options = {
        "digits": one["digits"], "digest": getattr(hashlib, one["algorithm"].lower()),
        "name": one["label"], "issuer": one["issuer"],
    }
    if one["type"] == "totp":
        return pyotp.TOTP(one["secret"], interval=one["period"], **options)
    return pyotp.HOTP(one["secret"], **options)


accounts = [account(index) for index in range(COUNT)]
for one in accounts:
    generator = otp(one)
    if one["type"] == "totp":
        one["code"], one["uri"] = generator.at(one["instant"]), generator.provisioning_uri()
    else:
        one["code"] = generator.at(one["counter"])
        one["uri"] = generator.provisioning_uri(initial_count=one["counter"])


def seal(key, plaintext):
    nonce = os.urandom(12)
    sealed = AESGCM(key).encrypt(nonce, plaintext, None)
    return nonce, sealed[:-16], sealed[-16:]


def moving(one):
    return {"period": one["period"]} if one["type"] == "totp" else {"counter": one["counter"]}


def aegis_database():
    return {"version": 3, "groups": [], "entries": [
        {"type": one["type"], "uuid": str(index), "name": one["label"], "issuer": one["issuer"], "note": "",
         "icon": None, "info": {"secret": one["secret"], "algo": one["algorithm"], "digits": one["digits"],
                                **moving(one)}}
        for index, one in enumerate(accounts)
    ]}


def aegis_slot(password, master):
    salt = os.urandom(32)
    key = Scrypt(salt=salt, length=32, n=32768, r=8, p=1).derive(password.encode())
    nonce, ciphertext, tag = seal(key, master)
    return {"type": 1, "uuid": "x", "key": ciphertext.hex(), "key_params": {"nonce": nonce.hex(), "tag": tag.hex()},
            "n": 32768, "r": 8, "p": 1, "salt": salt.hex(), "repaired": True, "is_backup": False}


def aegis(*passwords, database=None):
    master = os.urandom(32)
    plaintext = json.dumps(aegis_database()).encode() if database is None else database
    nonce, ciphertext, tag = seal(master, plaintext)
    biometric = {"type": 2, "uuid": "b", "key": "00" * 32, "key_params": {"nonce": "00" * 12, "tag": "00" * 16}}
    slots = [biometric] + [aegis_slot(password, master) for password in passwords]
    header = {"slots": slots, "params": {"nonce": nonce.hex(), "tag": tag.hex()}}
    return json.dumps({"version": 1, "header": header, "db": text(ciphertext)}).encode()


def andotp_accounts():
    return json.dumps([
        {"secret": one["secret"] + "=" * (-len(one["secret"]) % 8), "issuer": one["issuer"], "label": one["label"],
         "digits": one["digits"], "type": one["type"].upper(), "algorithm": one["algorithm"], "thumbnail": "Default",
         "last_used": 0, "used_frequency": 0, "tags": [], **moving(one)}
        for one in accounts
    ]).encode()


def andotp(password):
    salt, rounds = os.urandom(12), 140_000
    key = PBKDF2HMAC(hashes.SHA1(), 32, salt, rounds).derive(password.encode())
    nonce, ciphertext, tag = seal(key, andotp_accounts())
    return struct.pack(">i", rounds) + salt + nonce + ciphertext + tag


def old_andotp(password):
    return b"".join(seal(hashlib.sha256(password.encode()).digest(), andotp_accounts()))


def twofas_services():
    return [
        {"name": one["issuer"], "secret": one["secret"], "updatedAt": 0, "order": {"position": index},
         "otp": {"label": one["label"], "account": one["label"], "issuer": one["issuer"], "digits": one["digits"],
                 "algorithm": one["algorithm"], "tokenType": one["type"].upper(), "source": "Link", **moving(one)}}
        for index, one in enumerate(accounts)
    ]


def twofas(password):
    salt = os.urandom(256)
    key = PBKDF2HMAC(hashes.SHA256(), 32, salt, 10_000).derive(password.encode())

    def sealed(plaintext):
        nonce, ciphertext, tag = seal(key, plaintext)
        return ":".join([text(ciphertext + tag), text(salt), text(nonce)])

    return json.dumps({
        "services": [], "groups": [], "schemaVersion": 4, "appOrigin": "android",
        "servicesEncrypted": sealed(json.dumps(twofas_services()).encode()), "reference": sealed(b"reference"),
    }).encode()


def payload_class():
    """Return the protobuf message class MigrationPayload of Google Authenticator."""
    kinds = descriptor_pb2.FieldDescriptorProto
    described = descriptor_pb2.FileDescriptorProto(name="migration.proto", syntax="proto3")
    parameters = described.message_type.add(name="OtpParameters")
    for name, number, kind in [
        ("secret", 1, kinds.TYPE_BYTES), ("name", 2, kinds.TYPE_STRING), ("issuer", 3, kinds.TYPE_STRING),
        ("algorithm", 4, kinds.TYPE_INT32), ("digits", 5, kinds.TYPE_INT32), ("type", 6, kinds.TYPE_INT32),
        ("counter", 7, kinds.TYPE_INT64),
    ]:
        parameters.field.add(name=name, number=number, type=kind, label=kinds.LABEL_OPTIONAL)
    payload = described.message_type.add(name="MigrationPayload")
    payload.field.add(name="otp_parameters", number=1, type=kinds.TYPE_MESSAGE, type_name="OtpParameters",
                      label=kinds.LABEL_REPEATED)
    for name, number in [("version", 2), ("batch_size", 3), ("batch_index", 4), ("batch_id", 5)]:
        payload.field.add(name=name, number=number, type=kinds.TYPE_INT32, label=kinds.LABEL_OPTIONAL)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(described)
    return message_factory.MessageFactory(pool).GetPrototype(pool.FindMessageTypeByName("MigrationPayload"))


def migration():
    """Return the indices of the accounts that the format can represent, and their transfers of up to ten."""
    held = [one for one in accounts if one["digits"] != 7 and one.get("period", 30) == 30]
    chunks = [held[start:start + 10] for start in range(0, len(held), 10)]
    parts = []
    for index, chunk in enumerate(chunks):
        payload = payload_class()(version=1, batch_size=len(chunks), batch_index=index, batch_id=-1234567)
        for one in chunk:
            payload.otp_parameters.add(
                secret=base64.b32decode(one["secret"] + "=" * (-len(one["secret"]) % 8)),
                name=one["issuer"] + ":" + one["label"], issuer=one["issuer"],
                algorithm=["SHA1", "SHA256", "SHA512"].index(one["algorithm"]) + 1,
                digits={6: 1, 8: 2}[one["digits"]], type={"hotp": 1, "totp": 2}[one["type"]],
                counter=one.get("counter", 0),
            )
        data = text(payload.SerializeToString()).replace("+", "%2B").replace("/", "%2F").replace("=", "%3D")
        parts.append("otpauth-migration://offline?data=" + data)
    return [accounts.index(one) for one in held], "\n".join(parts).encode()


def freeotp():
    def signed(secret):
        padded = secret + "=" * (-len(secret) % 8)
        return [byte - 256 if byte > 127 else byte for byte in base64.b32decode(padded)]

    return json.dumps({"tokenOrder": [], "tokens": [
        {"algo": one["algorithm"], "counter": one.get("counter", 0), "digits": one["digits"],
         "issuerExt": one["issuer"], "issuerInt": one["issuer"], "label": one["label"],
         "period": one.get("period", 30), "secret": signed(one["secret"]), "type": one["type"].upper()}
        for one in accounts
    ]}).encode()


def bitwarden():
    return json.dumps({"encrypted": False, "folders": [], "items": [
        {"id": str(index), "type": 1, "name": one["issuer"],
         "login": {"username": one["label"], "password": None, "totp": one["uri"]}}
        for index, one in enumerate(accounts)
    ] + [{"id": "note", "type": 2, "name": "a note"}, {"id": "none", "type": 1, "login": {"totp": None}}]}).encode()



def bitwarden_table():
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow("folder,favorite,type,name,notes,fields,login_uri,login_username,login_password,login_totp".split(","))
    for one in accounts:
        notes = 'a "note",\nof two lines'
        rows.writerow(["", "", "login", one["issuer"], notes, "", "", one["label"], "", one["uri"]])
    return table.getvalue().encode()


held, parts = migration()
plain_aegis = {"version": 1, "header": {"slots": None, "params": None}, "db": aegis_database()}
exports = {
    "uris": "\n".join(one["uri"] for one in accounts).encode(), "migration": parts,
    "aegis": json.dumps(plain_aegis).encode(), "aegis encrypted": aegis("another", PASSWORD),
    "aegis of nonsense": aegis(PASSWORD, database=b"nonsense"),
    "andotp": andotp_accounts(), "andotp encrypted": andotp(PASSWORD),
    "andotp of old versions": old_andotp(PASSWORD), "bitwarden": bitwarden(),
    "bitwarden table": bitwarden_table(),
    "freeotp": freeotp(), "2fas": json.dumps({"services": twofas_services(), "schemaVersion": 4}).encode(),
    "2fas encrypted": twofas(PASSWORD),
}
print(json.dumps({
    "password": PASSWORD, "accounts": accounts, "held by migration": held,
    "exports": {name: text(data) for name, data in exports.items()},
}))
