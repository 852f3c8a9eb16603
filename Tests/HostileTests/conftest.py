"""Fixtures that create the stages of the tests."""

import itertools

import pytest

from harness import jose
from harness.hostile.stage import Stage
from harness.users import open_directory


@pytest.fixture(scope="session")
def issuer_key():
    return jose.rsa_key()


@pytest.fixture(scope="session")
def attacker_key():
    return jose.rsa_key()


@pytest.fixture
def place():
    with open_directory() as path:
        yield path


@pytest.fixture(scope="module")
def shared_stage(issuer_key):
    """One stage for all tests of a file. A test that breaks it for the next test has found a bug."""
    with open_directory() as path:
        stage = Stage(path, issuer_key)
        stage.daemon.socket.chmod(0o666)
        yield stage
        stage.close()


@pytest.fixture
def make_stage(place, issuer_key):
    """Creates stages. Closes them after the test, which reports violations by the daemon."""
    stages, numbers = [], itertools.count()

    def make(**options) -> Stage:
        directory = place / str(next(numbers))
        directory.mkdir()
        stage = Stage(directory, issuer_key, **options)
        stages.append(stage)
        return stage

    yield make
    for stage in stages:
        stage.close()


@pytest.fixture
def stage(make_stage):
    return make_stage()


@pytest.fixture
def configured(stage):
    return stage.configure()


@pytest.fixture
def paired(configured):
    configured.account = configured.pair()
    return configured
