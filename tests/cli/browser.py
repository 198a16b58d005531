"""A headless Chromium, driven through chromedriver by the W3C WebDriver protocol: JSON over HTTP, for which the standard
library is enough. WebGL is drawn by its software renderer."""

import base64
import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request

FLAGS = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader",
         "--enable-unsafe-swiftshader", "--window-size=1280,720", "--hide-scrollbars", "--disable-extensions",
         "--disable-background-networking", "--no-first-run"]


def is_there():
    return shutil.which("chromedriver") is not None and shutil.which("chromium") is not None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Browser:
    def __init__(self):
        port = free_port()
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen([shutil.which("chromedriver"), f"--port={port}"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
        try:
            self.session = self.begin()
        except BaseException:
            self.driver.kill()
            self.driver.wait()
            raise

    def begin(self):
        wanted = {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
            "goog:chromeOptions": {"args": FLAGS, "binary": shutil.which("chromium")}}}}
        for attempt in range(100):
            try:
                return self.ask("POST", "/session", wanted)["sessionId"]
            except (ConnectionError, urllib.error.URLError):
                if attempt == 99:
                    raise
                time.sleep(0.1)

    def ask(self, method, path, content=None):
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def here(self, method, what, content=None):
        return self.ask(method, f"/session/{self.session}{what}", content)

    def open(self, address):
        self.here("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """A function body in the page, which may return a promise."""
        return self.here("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_until(self, condition, seconds=30):
        """Until this expression of the page is true; what it is."""
        until = time.monotonic() + seconds
        while True:
            value = self.run(f"try {{ return {condition}; }} catch {{ return null; }}")
            if value:
                return value
            if time.monotonic() > until:
                raise AssertionError(f"the page has not come to: {condition}")
            time.sleep(0.05)

    def press(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.here("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def screenshot(self):
        return base64.b64decode(self.here("GET", "/screenshot"))

    def complaints(self):
        """What the page has written to the console as an error."""
        return [entry["message"] for entry in self.here("POST", "/se/log", {"type": "browser"})
                if entry["level"] == "SEVERE"]

    def close(self):
        try:
            self.ask("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait()
