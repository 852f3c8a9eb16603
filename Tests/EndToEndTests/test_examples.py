"""Each example of `rpc.discover` is called in its scenario and must return the documented result."""

import contextlib

import pytest

from harness import users
from harness.contract import CONTRACT
from harness.example_stage import Stage
from harness.examples import Example
from harness.scenarios import SCENARIOS


@pytest.fixture
def stage(make_daemon, directory):
    with users.open_directory() as path, contextlib.ExitStack() as ends:
        stage = Stage(make_daemon, path, directory / "sandbox.db")
        ends.callback(stage.close)
        yield stage


def test_every_method_has_a_scenario(stage):
    described = stage.root.call("rpc.discover")
    assert {method["name"] for method in described["methods"]} == set(SCENARIOS)


@pytest.mark.parametrize("method", sorted(SCENARIOS))
def test_example_of_a_method_returns_the_documented_result(stage, method):
    (access,) = [one["x-class"] for one in CONTRACT.document["methods"] if one["name"] == method]
    played = Example(method)
    params = played.params(SCENARIOS[method](stage))
    client = stage.root if access == "service" else stage.user
    played.check(client.call(method, **params))
