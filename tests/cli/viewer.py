"""A running `firn view` for tests, and the requests that its page makes."""

import http.client
import json
import re
import signal
import struct
import time

TOKEN = "X-Firn-Token"


class Viewer:
    """Begins `firn view` with these arguments; `test` is a CliTest, at whose end it is ended."""

    def __init__(self, test, *arguments, **keywords):
        self.test = test
        self.process = test.start("view", *arguments, **keywords)
        test.addCleanup(self.kill)
        self.address = ""
        while not self.address:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(self.process.stderr.read())
            found = re.fullmatch(r"view: (http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32}))\n", line)
            if found:
                self.address, self.port, self.token = found[1], int(found[2]), found[3]

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def ask(self, path, method="GET", body=None, **headers):
        """Status and content, with the token unless `headers` say otherwise (None: without)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        all_headers = {TOKEN: self.token, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if body is not None:
            all_headers.setdefault("Content-Type", "application/json")
        connection.request(method, path, body, {n: v for n, v in all_headers.items() if v is not None})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content

    def get(self, path):
        status, content = self.ask(path)
        self.test.assertEqual(status, 200, content)
        return json.loads(content)

    def post(self, what, content=None):
        status, answer = self.ask(f"/api/{what}", "POST", json.dumps(content or {}))
        return status, json.loads(answer)

    def state(self, version=0, rows=0):
        return self.get(f"/api/state?version={version}&rows={rows}")

    def wait_for(self, *phases, seconds=60):
        until, state = time.monotonic() + seconds, self.state()
        while state["phase"] not in phases:
            self.test.assertLess(time.monotonic(), until, state)
            self.test.assertNotEqual(state["phase"], "failed", state)
            state = self.state(state["version"], len(state["rows"]))
        return self.state()

    def points(self, picture, channel, first=0, count=100000):
        """The header, and x, y, z and level of each point."""
        status, content = self.ask(f"/api/points?picture={picture}&channel={channel}&first={first}&count={count}")
        self.test.assertEqual(status, 200, content)
        length = struct.unpack_from("<I", content)[0]
        header, packed = json.loads(content[4:4 + length]), content[4 + length:]
        return header, list(struct.iter_unpack("<4H", packed))

    def end(self):
        """By Ctrl-C; what it printed since."""
        self.process.send_signal(signal.SIGINT)
        printed, complaints = self.process.communicate(timeout=60)
        self.test.assertEqual(self.process.returncode, 130, complaints)
        self.test.assertEqual(complaints, "")
        return printed
