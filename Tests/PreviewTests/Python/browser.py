"""A real Chromium, driven over its debugging pipe: no port, no library."""
import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import time


class Failed(Exception):
    pass


def find():
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            return path
    return None


class Browser:
    def __init__(self, width=1280, height=1000, patience=120):
        self.patience = patience
        self.profile = tempfile.mkdtemp(prefix="preview-browser-")
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()

        def wire():
            # The browser reads descriptor 3 and writes descriptor 4.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", "--no-first-run", "--hide-scrollbars",
             f"--user-data-dir={self.profile}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.numbers = itertools.count(1)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank", width=width, height=height)
        attached = self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self.session = attached["sessionId"]
        self.call("Page.enable")
        self.call("Runtime.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                piece = os.read(self.answers, 1 << 20)
                if not piece:
                    raise Failed("the browser went away")
                self.buffer += piece
            text, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(text)
            if answer.get("id") != number:
                continue
            if "error" in answer:
                raise Failed(f"{method}: {answer['error']}")
            return answer.get("result", {})

    def open(self, url):
        self.call("Page.navigate", url=url)

    def run(self, script):
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failed(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def wait(self, script, why):
        """Waits until an expression holds; the time is only for a machine that is stuck."""
        deadline = time.monotonic() + self.patience
        while True:
            try:
                value = self.run(script)
            except Failed:
                value = None  # The page is being loaded.
            if value:
                return value
            if time.monotonic() > deadline:
                raise Failed(f"never: {why}\n{self.text()}")
            time.sleep(0.02)

    def text(self):
        return self.run("document.getElementById('screen')?.innerText ?? ''")

    def says(self, words):
        # Headers of lists are shown in capitals.
        needle = json.dumps(words.lower())
        self.wait(f"document.getElementById('screen')?.innerText.toLowerCase().includes({needle})",
                  f"the screen says {words}")

    def says_not(self, words):
        needle = json.dumps(words.lower())
        self.wait(f"!document.getElementById('screen').innerText.toLowerCase().includes({needle})",
                  f"the screen does not say {words}")

    def box(self, selector, words=None, number=0):
        """The centre of an element, scrolled into sight."""
        script = f"""(() => {{
          const all = [...document.querySelectorAll({json.dumps(selector)})].filter(e =>
            {json.dumps(words)} === null || (e.innerText ?? '').includes({json.dumps(words)})
            || e.getAttribute('aria-label') === {json.dumps(words)});
          const e = all[{number}];
          if (!e) return null;
          e.scrollIntoView({{ block: 'nearest' }});
          const r = e.getBoundingClientRect();
          return r.width ? [r.x + r.width / 2, r.y + r.height / 2] : null;
        }})()"""
        return self.wait(script, f"there is {selector} {words or ''}")

    def click(self, selector, words=None, number=0):
        """A real press and release of the mouse."""
        x, y = self.box(selector, words, number)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                      clickCount=1)

    def type(self, words):
        """Real typing into what has the focus."""
        for letter in words:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=letter)
            self.call("Input.dispatchKeyEvent", type="keyUp")

    def press(self, key, code):
        for kind in ("rawKeyDown", "char", "keyUp"):
            more = {"text": "\r"} if kind == "char" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code, **more)

    def wheel(self, selector, by):
        x, y = self.box(selector)
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)

    def picture(self, path):
        # Movements have an end before the picture is taken.
        self.wait("document.getAnimations().every(a => a.playState !== 'running'"
                  " || a.effect.getComputedTiming().iterations === Infinity)", "rest")
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
