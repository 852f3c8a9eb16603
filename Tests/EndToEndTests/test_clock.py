"""A wrong system clock, which may change while the daemon runs."""

import math
import time

from harness import flows
from harness.clock import MovableClock


def test_clock_offset_of_ten_minutes_is_corrected_in_platform_requests(directory, make_daemon):
    clock = MovableClock(directory)
    client = make_daemon(clock=clock).start().client()
    clock.set(10 * 60)
    begin = time.monotonic()
    assert client.call("device.configure", geo=flows.GEO)["deviceId"]
    # Both clocks have whole seconds and are read within this time.
    longest = math.ceil(time.monotonic() - begin)
    offset = client.call("service.status")["clock"]["offset"]
    assert abs(offset + 10 * 60) <= longest
