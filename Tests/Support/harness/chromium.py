"""The real Chromium in headless mode, controlled by the WebDriver protocol of chromedriver."""

import base64
import contextlib
import json
import os
import re
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path

from .process import Process
from .programs import PATIENCE, environment

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""The member that identifies an element in the protocol."""


REPLACED = (
    "stale element", "does not belong to the document", "Cannot find context", "no such execution context",
    "Cannot find default execution context", "Execution context was destroyed", "Inspected target navigated or closed",
    "aborted by navigation", "No node with given id found", "No node found for given backend id",
)
"""Error messages of the driver if a page was replaced during an operation."""


class Replaced(AssertionError):
    """The found element is on a page that was replaced."""


class Chromium:
    """A browser window. With `scripts=False`, pages run no scripts."""

    def __init__(self, directory, scripts=True, size=(1000, 900)):
        self._home = directory.resolve() / "chromium"
        self._home.mkdir()
        self._driver = Process(["chromedriver", "--port=0"], env=environment(HOME=str(self._home)), cwd=self._home)
        port = re.search(r"on port (\d+)", self._driver.output.wait("started successfully"))[1]
        self._base = f"http://127.0.0.1:{port}/session"
        # Chromium as root requires --no-sandbox, and /dev/shm in containers is too small for pages.
        words = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        words += ["--force-device-scale-factor=1", f"--window-size={size[0]},{size[1]}"]
        words += [f"--user-data-dir={self._home / 'profile'}"]
        options = {"binary": "/usr/bin/chromium", "args": words}
        if not scripts:
            options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "WARNING"}}
        try:
            made = self._ask("POST", "", {"capabilities": {"alwaysMatch": wanted}})
        except BaseException:
            self._end()
            raise
        self._base += "/" + made["sessionId"]
        # Elements may be on a page that is still loading.
        self._ask("POST", "/timeouts", {"implicit": PATIENCE * 1000})

    def _ask(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self._base + path, method=method, data=data)
        request.add_header("Content-Type", "application/json")
        try:
            # The driver has its own timeout of `PATIENCE`.
            with urllib.request.urlopen(request, timeout=2 * PATIENCE) as response:
                return json.loads(response.read())["value"]
        except urllib.error.HTTPError as error:
            said = json.loads(error.read())["value"]
            is_replaced = any(words in said["message"] for words in REPLACED)
            raise (Replaced if is_replaced else AssertionError)(said["message"]) from None

    # Actions of a user

    def open(self, address):
        self._ask("POST", "/url", {"url": address})

    def resize(self, width, height):
        self._command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, scheme):
        """Sets the color scheme: light or dark."""
        self._command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def _command(self, name, **parameters):
        return self._ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def _on(self, path, act):
        """Applies `act` to the only element of an XPath on the current page."""
        while True:
            with contextlib.suppress(Replaced):
                (found,) = self._ask("POST", "/elements", {"using": "xpath", "value": path})
                return act(f"/element/{found[ELEMENT]}")

    def fill(self, label, text):
        """Types into the field with this label."""

        def act(element):
            self._ask("POST", f"{element}/clear")
            self._ask("POST", f"{element}/value", {"text": text})

        self._on(f'//label[normalize-space(text())="{label}"]/input', act)

    def choose(self, label, option):
        """Selects an option of a field by its label."""
        path = f"//label[normalize-space(text())='{label}']/select/option[normalize-space()='{option}']"
        self._click(path)

    def press(self, button):
        """Presses the button with this label."""
        self._click(f"//button[normalize-space()='{button}']")

    def follow(self, link):
        self._click(f"//a[normalize-space()='{link}']")

    def _click(self, path):
        self._on(path, lambda element: self._ask("POST", f"{element}/click"))

    def type(self, keys):
        """Presses keys without a target element."""
        steps = [step for key in keys for step in ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self._ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})

    # Output for a user

    @property
    def address(self):
        return self._ask("GET", "/url")

    def text(self, path="//body"):
        return self._on(path, lambda element: self._ask("GET", f"{element}/text"))

    def focused(self):
        """Returns the text of the focused element."""
        return self._ask("GET", f"/element/{self._ask('GET', '/element/active')[ELEMENT]}/text")

    def picture(self, file):
        """Writes a screenshot of the window."""
        file.write_bytes(base64.b64decode(self._ask("GET", "/screenshot")))

    def overflow(self):
        """Number of pixels by which the page is wider than the window."""
        metrics = self._command("Page.getLayoutMetrics")
        return metrics["cssContentSize"]["width"] - metrics["cssLayoutViewport"]["clientWidth"]

    def complaints(self):
        """Returns the browser's messages about the pages: policy violations and missing files."""
        return [entry["message"] for entry in self._ask("POST", "/se/log", {"type": "browser"})]

    def close(self):
        with contextlib.suppress(AssertionError, OSError):
            self._ask("DELETE", "")
        self._end()

    def _end(self):
        """Kills all remaining processes, which would write into the profile during its deletion."""
        self._driver.kill()
        deadline = time.monotonic() + PATIENCE
        while pids := [int(name) for name in os.listdir("/proc") if name.isdecimal() and self._is_at_home(name)]:
            assert time.monotonic() < deadline, f"{pids} do not end"
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)

    def _is_at_home(self, pid):
        """True if the working directory of a process is the browser's, as for all processes of the driver."""
        with contextlib.suppress(OSError):
            return Path(f"/proc/{pid}/cwd").readlink() == self._home
        return False
