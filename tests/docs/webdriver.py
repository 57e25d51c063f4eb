"""A browser for tests: Debian's Chromium, by the WebDriver protocol (W3C) that its chromedriver speaks."""

import base64
import json
import subprocess
import time
from urllib.request import Request, urlopen

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the protocol's name for a reference to an element
OPTIONS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
]


class Browser:
    """A session of Chromium; a context manager that ends it."""

    def __init__(self, port, folder, width=1300, height=900):
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL)
        self.root = f"http://127.0.0.1:{port}"
        options = [*OPTIONS, f"--user-data-dir={folder}", f"--window-size={width},{height}"]
        for _ in range(100):
            try:
                urlopen(self.root + "/status").close()
                break
            except OSError:
                time.sleep(0.1)
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": options}}
        session = self.send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.root += f"/session/{session['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.send("DELETE", "", None)
        self.driver.terminate()
        self.driver.wait()

    def send(self, method, path, body=None):
        """The value of one command's answer."""
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, address):
        self.send("POST", "/url", {"url": address})

    def run(self, script):
        """The value that a script of the page returns."""
        return self.send("POST", "/execute/sync", {"script": script, "args": []})

    def until(self, script, seconds=20):
        """The first value of a script that is true."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            assert time.monotonic() < end, script
            time.sleep(0.1)
        return value

    def type(self, selector, text):
        found = self.send("POST", "/element", {"using": "css selector", "value": selector})
        self.send("POST", f"/element/{found[ELEMENT]}/value", {"text": text})

    def size(self, width, height):
        """A view of this size, as a phone's, which a window cannot be."""
        view = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
        command = {"cmd": "Emulation.setDeviceMetricsOverride", "params": view}
        self.send("POST", "/goog/cdp/execute", command)

    def dark(self):
        """A person who prefers dark pages."""
        media = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        self.send("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": media})

    def picture(self, path):
        path.write_bytes(base64.b64decode(self.send("GET", "/screenshot")))
