"""A browser for tests: headless Chromium through its driver, with nothing but the standard library (W3C WebDriver, and Chromium's own commands)."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Home": "\ue011", "End": "\ue010",
        "Escape": "\ue00c", "Enter": "\ue007", "Shift": "\ue008"}


def absent():
    """Why there is no browser; None: there is one."""
    missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    return f"{' and '.join(missing)} not installed (Debian: chromium, chromium-driver)" if missing else None


class Browser:
    """Chromium with one page. `with Browser(width, height) as b:`. Nothing but files and data: addresses can be opened."""

    def __init__(self, width=1280, height=900, dark=False):
        self.size = width, height
        self.home = tempfile.TemporaryDirectory(prefix="heddle-browser-", ignore_cleanup_errors=True)
        environment = dict(os.environ, HOME=self.home.name)
        # With port 0 the driver takes a free one and says which.
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
        for line in self.driver.stdout:
            if "started successfully on port" in line:
                self.base = "http://127.0.0.1:" + line.rstrip(".\n").split()[-1]
                break
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
                     "--proxy-server=127.0.0.1:9", f"--user-data-dir={self.home.name}/profile", f"--window-size={width},{height}"]
        arguments += ["--force-dark-mode"] if dark else []
        always = {"browserName": "chrome", "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        try:
            self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": always}})["sessionId"]
            self.screen(width, height)
            self.theme("dark" if dark else "light")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        try:
            if getattr(self, "session", None):
                self.call("DELETE", f"/session/{self.session}")
        finally:
            self.driver.terminate()
            self.driver.wait(10)
            self.driver.stdout.close()
            self.home.cleanup()

    def call(self, method, path, body=None):
        data = None if method in ("GET", "DELETE") else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method, headers={"Content-Type": "application/json"})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"].splitlines()[0]) from None

    def own(self, method, path, body=None):
        return self.call(method, f"/session/{self.session}{path}", body)

    def chromium(self, command, **parameters):
        return self.own("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def screen(self, width, height, phone=False):
        self.chromium("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def theme(self, name):
        self.chromium("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, path):
        self.own("POST", "/url", {"url": "file://" + os.path.abspath(path)})
        self.wait("document.body && document.body.dataset.opened !== undefined")

    def js(self, text, *arguments):
        """The value of an expression; `await` is allowed."""
        body = "const [done] = Array.prototype.slice.call(arguments, -1), a = arguments; (async () => (" + text + "))().then((x) => done([x]), (e) => done([null, String(e)]));"
        value = self.own("POST", "/execute/async", {"script": body, "args": list(arguments)})
        if len(value) > 1:
            raise RuntimeError(f"{text}: {value[1]}")
        return value[0]

    def wait(self, condition, seconds=15):
        end = time.monotonic() + seconds
        while not self.js(condition):
            if time.monotonic() > end:
                raise AssertionError(f"after {seconds} s this does not hold: {condition}")
            time.sleep(0.02)

    def find(self, selector):
        return self.own("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """A click of the mouse on an element, which must be visible and not covered."""
        self.own("POST", f"/element/{self.find(selector)}/click")

    def click_at(self, x, y):
        """A click at a place of the window, in pixels."""
        self.point(x, y, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def move_to(self, x, y):
        """The mouse to a place of the window, in pixels."""
        self.point(x, y)

    def point(self, x, y, *then):
        moves = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}, *then]
        self.own("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}]})

    def press(self, *keys, held=None):
        """Keys, one after the other; `held`: the name of one that is down meanwhile."""
        hold = KEYS.get(held, held)
        steps = [{"type": "keyDown", "value": hold}] if hold else []
        for key in keys:
            steps += [{"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]
        steps += [{"type": "keyUp", "value": hold}] if hold else []
        self.own("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": steps}]})

    def picture(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.own("GET", "/screenshot")))

    def log(self, kind):
        return self.own("POST", "/se/log", {"type": kind})

    def complaints(self):
        """Messages of the page's console that are warnings or errors, since the last call."""
        return [m["message"] for m in self.log("browser") if m["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that the page asked for, but for files and data of its own, since the last call."""
        found = []
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(("file:", "data:", "blob:", "about:", "chrome:")):
                    found.append(url)
        return found
