"""A page in headless Chromium, driven through its debugging protocol, with nothing but Python's own library."""
import base64, json, os, shutil, socket, struct, subprocess, tempfile, time, urllib.request

PATIENCE = 60


class Page:
    """One browser with one page. `complaints` has what the page logged, threw, or asked of a network."""

    def __init__(self, browser, url, size=(1400, 820), scheme="light", runs_scripts=True):
        self.folder = tempfile.mkdtemp(prefix="rollcall-pictures-")
        words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0",
                 "--user-data-dir=" + self.folder, "about:blank"]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number, self.events, self.url = 0, [], url
        try:
            self.socket = self._connect()
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(domain + ".enable")
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.call("Emulation.setScriptExecutionDisabled", value=not runs_scripts)
            self.call("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
                      mobile=False)
            self.call("Page.navigate", url=url)
            self._await("Page.loadEventFired")
        except BaseException:
            self.close()
            raise

    def _connect(self):
        file = os.path.join(self.folder, "DevToolsActivePort")
        end = time.monotonic() + PATIENCE
        while not (os.path.exists(file) and open(file).read().count("\n")):
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("Chromium did not start")
            time.sleep(0.05)
        port = int(open(file).read().split("\n")[0])
        tabs = json.load(urllib.request.urlopen("http://127.0.0.1:%d/json" % port, timeout=PATIENCE))
        address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
        link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        key = base64.b64encode(os.urandom(16)).decode()
        link.sendall(("GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n"
                      % (address.split(str(port), 1)[1], port, key)).encode())
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += link.recv(1)
        return link

    def _bytes(self, count):
        data = b""
        while len(data) < count:
            part = self.socket.recv(count - len(data))
            if not part:
                raise RuntimeError("Chromium closed the connection")
            data += part
        return data

    def _message(self):
        data = b""
        while True:
            head = self._bytes(2)
            count = head[1] & 127
            if count == 126:
                count = struct.unpack(">H", self._bytes(2))[0]
            elif count == 127:
                count = struct.unpack(">Q", self._bytes(8))[0]
            data += self._bytes(count)
            if head[0] & 128:
                return json.loads(data)

    def call(self, method, **params):
        self.number += 1
        data = json.dumps({"id": self.number, "method": method, "params": params}).encode()
        if len(data) < 126:
            head = bytes([0x81, 0x80 | len(data)])
        elif len(data) < 65536:
            head = bytes([0x81, 0xFE]) + struct.pack(">H", len(data))
        else:
            head = bytes([0x81, 0xFF]) + struct.pack(">Q", len(data))
        # A mask of zeros leaves the bytes as they are.
        self.socket.sendall(head + b"\0\0\0\0" + data)
        while True:
            answer = self._message()
            if answer.get("id") != self.number:
                self.events.append(answer)
                continue
            if "error" in answer:
                raise RuntimeError("%s: %s" % (method, answer["error"]))
            return answer["result"]

    def _await(self, event):
        while not any(one.get("method") == event for one in self.events):
            self.events.append(self._message())

    def js(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError("%s: %s" % (expression, result["exceptionDetails"]))
        return result["result"].get("value")

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 1)")

    def key(self, key, shift=False):
        down = {"type": "keyDown", "key": key, "modifiers": 8 if shift else 0}
        if len(key) == 1:
            down["text"] = key
        if key == "Enter":
            down["text"] = "\r"
        self.call("Input.dispatchKeyEvent", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", buttons=1, clickCount=1)
        self.settle()

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", landscape=True, printBackground=True)["data"])

    @property
    def complaints(self):
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("exception: %s" % params["exceptionDetails"])
            elif method == "Runtime.consoleAPICalled":
                found.append("console: %s" % params["args"])
            elif method == "Log.entryAdded":
                found.append("log: %s" % params["entry"])
            elif method == "Page.javascriptDialogOpening":
                found.append("dialog: %s" % params["message"])
            elif method == "Network.requestWillBeSent" and params["request"]["url"] != self.url:
                found.append("request: %s" % params["request"]["url"])
        return found

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
