"""Sign-ons through a courier with an issuer that the test controls."""

import pytest

from .issuer import Issuer

ATTACKER = "https://attacker.test"


@pytest.fixture
def sign_on(make_stage):
    stage = make_stage(**Issuer.SETTINGS)
    stage.add_issuer()
    stage.courier.origins[ATTACKER] = lambda request: request.reply_json({})
    return stage.configure()


def start(stage):
    return stage.client.call("login.start", method="signon")


def answer(stage, login, password=Issuer.PASSWORD):
    return stage.client.call("login.next", login=login, values={"username": "ann", "password": password})


def answer_fails(stage, login, password=Issuer.PASSWORD):
    return stage.client.refusal("login.next", login=login, values={"username": "ann", "password": password})


def nothing_went_elsewhere(stage):
    assert {request.origin for request in stage.courier.requests} <= {stage.platform.URL, Issuer.ORIGIN}
