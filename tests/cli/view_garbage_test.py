"""That a run is the same whoever asks `firn view` for nonsense, or tries to hold it up."""

import random
import socket
import time
import unittest

from support import CliTest
from viewer import Viewer

LONGER = ("--threads", "1", "--set", "simulation.frames=20", "--set", "output.image=false")


class Garbage(CliTest):
    """Requests of no meaning from a seed, some of which hold their connections, while a run goes on."""

    SEED = 20260

    def requests(self, viewer):
        """One of everything that parsers stumble over, then variations of a good request."""
        head = f"Host: 127.0.0.1:{viewer.port}\r\nX-Firn-Token: {viewer.token}\r\n"
        good = f"GET /api/state?version=0&rows=0 HTTP/1.1\r\n{head}\r\n".encode()
        post = f"POST /api/set HTTP/1.1\r\n{head}Content-Type: application/json\r\n"
        yield from (b"", b"\r\n\r\n", b"GET", b"\x00" * 5000, b"GET / HTTP/0.9\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
                    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET " + b"/" * 200000 + b" HTTP/1.1\r\n\r\n",
                    b"A" * 300000, b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 50000,
                    b"GET / HTTP/1.1\r\nX: " + b"y" * 300000)
        for method in ("PUT", "TRACE", "CONNECT", "get", "G\x00T", "PATCH"):
            yield f"{method} /api/play HTTP/1.1\r\n{head}\r\n".encode()
        for length in ("-1", "99999999999999999999", "5, 5", "0x5", "8192"):
            yield f"{post}Content-Length: {length}\r\n\r\n{{".encode()
        for chunk in ("-1", "ffffffffffffffff", "zz", "5;" + "e" * 5000, "7fffffffffffffff"):
            yield f"{post}Transfer-Encoding: chunked\r\n\r\n{chunk}\r\nhello\r\n".encode()
        for header in ("Range: bytes=" + ",".join(["0-"] * 2000), "Range: bytes=9999999999999999999999-",
                       "Expect: 100-continue", "Content-Type: multipart/form-data; boundary=" + "b" * 8000,
                       "Content-Length: 5\r\nContent-Length: 6", "Host: other", "Connection: \x01\x02"):
            yield f"GET /api/points?picture=1&channel=body&first=0&count=9 HTTP/1.1\r\n{head}{header}\r\n\r\n".encode()
        for query in ("picture=1&channel=body", "picture=1&channel=" + "x" * 3000, "picture=18446744073709551616",
                      "picture=1&channel=body&traced=2", "picture=1&first=0&count=9", "picture=1&first=4294967295&count=262144"):
            for what in ("surfaces", "tracers"):
                yield f"GET /api/{what}?{query} HTTP/1.1\r\n{head}\r\n".encode()
        deep = "[" * 4000
        yield f"{post}Content-Length: {len(deep)}\r\n\r\n{deep}".encode()
        for _ in range(200):
            text = bytearray(self.random.choice((good, f"{post}Content-Length: 2\r\n\r\n{{}}".encode())))
            for _ in range(self.random.randint(1, 8)):
                at = self.random.randrange(len(text))
                if self.random.random() < 0.5:
                    text[at] = self.random.randrange(256)
                else:
                    text[at:at] = self.random.choice((b"\r\n", b"%", b"\x00", b":", b"\xff" * 50, b"%00%2e", b" "))
            yield bytes(text[:self.random.randint(1, len(text))] if self.random.random() < 0.5 else text)

    def send(self, viewer, request):
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=20) as connection:
            try:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                # A request that waits for a change would wait for that long: it is left.
                connection.settimeout(0.05)
                while connection.recv(65536):
                    pass
            except OSError:
                pass

    def test_it_harms_neither_the_server_nor_the_run(self):
        self.random = random.Random(self.SEED)
        viewer = Viewer(self, self.scene, "--paused", "-o", "watched", *LONGER)
        viewer.wait_for("paused")
        slow = [socket.create_connection(("127.0.0.1", viewer.port)) for _ in range(6)]
        for number, request in enumerate(self.requests(viewer)):
            with self.subTest(seed=self.SEED, number=number):
                self.send(viewer, request)
            if number == 60:
                viewer.post("play")
            for connection in slow:
                try:
                    connection.send(b"G")
                except OSError:
                    pass
        self.assertIsNone(viewer.process.poll())
        viewer.wait_for("ended")
        for connection in slow:
            connection.close()
        viewer.end()
        self.succeed("run", self.scene, *LONGER, "-o", "plain")
        a, b = self.files("plain/particles/*.npz"), self.files("watched/particles/*.npz")
        self.assertEqual(len(a), 21)
        self.assertEqual(list(a.values()), list(b.values()))

    def test_a_slow_request_is_cut_off(self):
        viewer = Viewer(self, self.scene, "--paused")
        start = time.monotonic()
        with socket.create_connection(("127.0.0.1", viewer.port)) as connection:
            connection.settimeout(0.2)
            while time.monotonic() - start < 20:
                try:
                    connection.send(b"x")
                    if not connection.recv(1):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
        self.assertLess(time.monotonic() - start, 10)  # five seconds for all of it
        viewer.end()

    def test_more_connections_than_it_takes(self):
        viewer = Viewer(self, self.scene, "--paused")
        held = [socket.create_connection(("127.0.0.1", viewer.port), timeout=20) for _ in range(60)]
        time.sleep(0.5)
        refused = 0
        for connection in held:
            connection.setblocking(False)
            try:
                refused += connection.recv(1) == b""
            except BlockingIOError:
                pass
        self.assertEqual(refused, 60 - 32)
        for connection in held:
            connection.close()
        until = time.monotonic() + 10
        while True:  # room again, once it has seen that they are gone
            try:
                viewer.state()
                break
            except OSError:
                self.assertLess(time.monotonic(), until)
        viewer.end()


if __name__ == "__main__":
    unittest.main()
