"""The studio over real HTTP: who may ask, what is refused, how slow and leaving clients are borne, how it ends."""

import json
import signal
import socket
import threading
import time
import unittest

from program import ProgramTest, main, run
from server import SANITIZED, SOON, Server, read_all


NO_MODELS = {"LIMELIGHT_MODELS": "/nonexistent"}


class Serving(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(env=NO_MODELS)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def head(self, *lines, body=b""):
        """The status of a request written by hand; 0 where nothing came back."""
        answer = self.server.raw("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        return int(answer.split(b" ", 2)[1]) if answer else 0

    def own(self):
        return f"Host: 127.0.0.1:{self.server.port}"


class Page(Serving):
    def test_is_sent_with_a_policy_that_allows_its_own_files_alone(self):
        status, headers, body = self.server.request("GET", "/")
        self.assertEqual(status, 200)
        self.assertIn(b"<!doctype html>", body.lower())
        self.assertIn("default-src 'none'; script-src 'self'; style-src 'self'", headers["content-security-policy"])
        self.assertNotIn("unsafe", headers["content-security-policy"])
        self.assertEqual(headers["x-content-type-options"], "nosniff")
        self.assertNotIn("access-control-allow-origin", headers)
        self.assertNotRegex(body.decode(), r"<script(?![^>]*src=)|style=|https?://")

    def test_files_are_compressed_and_not_sent_again_to_who_has_them(self):
        status, headers, small = self.server.request("GET", "/studio.js", headers={"Accept-Encoding": "gzip, br"})
        self.assertEqual((status, headers["content-encoding"]), (200, "gzip"))
        plain = self.server.request("GET", "/studio.js")
        self.assertNotIn("content-encoding", plain[1])
        self.assertLess(len(small), len(plain[2]) / 2)
        again = self.server.request("GET", "/studio.js", headers={"If-None-Match": headers["etag"]})
        self.assertEqual((again[0], again[2]), (304, b""))

    def test_no_path_leads_to_the_file_system(self):
        for path in ("/nothing", "/../index.html", "/..%2f..%2fetc/passwd", "/%2e%2e/index.html", "//etc/passwd",
                     "/page/index.html", "/studio-api.schema.json", "/api", "/api/", "/index.html/", "/%00"):
            self.assertIn(self.server.request("GET", path)[0], (400, 404, 405), path)


class Access(Serving):
    def test_only_the_own_host_and_origin_may_ask(self):
        port = self.server.port
        for host in (f"evil.example:{port}", f"localhost.evil.example:{port}", "127.0.0.1:1", "localhost", ""):
            self.assertEqual(self.head("GET / HTTP/1.1", f"Host: {host}", "Connection: close"), 403, host)
        self.assertEqual(self.head("GET / HTTP/1.1", "Connection: close"), 403)
        self.assertEqual(self.head("GET / HTTP/1.1", f"Host: LOCALHOST:{port}", "Connection: close"), 200)
        for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port}.evil.example"):
            status, answer = self.server.post("models", {}, {"Origin": origin})
            self.assertEqual(status, 403, origin)
            self.assertIn("Origin", answer["error"]["message"])
        self.assertEqual(self.server.post("models", {}, {"Origin": f"http://localhost:{port}"})[0], 200)
        self.assertEqual(self.server.post("models", {}, {"Sec-Fetch-Site": "cross-site"})[0], 403)

    def test_it_listens_on_this_machine_alone(self):
        with open("/proc/net/tcp", encoding="ascii") as file:
            listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
        port = f"{self.server.port:04X}"
        self.assertEqual([address for address in listening if address.endswith(f":{port}")], [f"0100007F:{port}"])

    def test_calls_are_posted_json(self):
        self.assertEqual(self.server.request("GET", "/api/models")[0], 405)
        self.assertEqual(self.server.request("PUT", "/")[0], 405)
        self.assertEqual(self.server.request("POST", "/api/models", "{}", {"Content-Type": "text/plain"})[0], 415)
        self.assertEqual(self.server.post("nothing", {})[0], 404)
        status, headers, body = self.server.request("POST", "/api/look", "{", {"Content-Type": "application/json"})
        self.assertEqual((status, headers["content-type"]), (400, "application/json"))
        self.assertEqual(set(json.loads(body)["error"]), {"field", "expected", "found", "message"})


class Limits(Serving):
    def test_lengths_that_are_none_or_too_large_are_refused_before_the_body(self):
        for lengths, status in ((["-268435455700"], 400), (["18446744073709551616"], 413), (["1x"], 400), (["5", "5"], 400),
                                (["5", "6"], 400), (["1048577"], 413), ([], 411)):
            lines = [f"Content-Length: {length}" for length in lengths]
            self.assertEqual(self.head("POST /api/models HTTP/1.1", self.own(), "Content-Type: application/json", *lines),
                             status, lengths)
        self.assertEqual(self.head("POST /api/models HTTP/1.1", self.own(), "Content-Type: application/json",
                                   "Transfer-Encoding: chunked", body=b"ffffffff\r\n"), 411)
        body = b"{" + b" " * (1 << 20) + b"}"
        self.assertEqual(self.server.request("POST", "/api/models", body, {"Content-Type": "application/json"})[0], 413)

    def test_the_body_of_one_request_is_never_the_next(self):
        inner = f"GET /nothing HTTP/1.1\r\n{self.own()}\r\nConnection: close\r\n\r\n"
        for method, status in (("GET", 400), ("HEAD", 400), ("DELETE", 405)):
            answers = self.server.raw(f"{method} / HTTP/1.1\r\n{self.own()}\r\nContent-Length: {len(inner)}\r\n\r\n"
                                      f"{inner}".encode())
            self.assertTrue(answers.startswith(f"HTTP/1.1 {status} ".encode()), answers[:80])
            self.assertEqual(answers.count(b"HTTP/1.1 "), 1, method)

    @unittest.skipIf(SANITIZED, "memory is not the program's own")
    def test_paths_and_headers_have_an_end(self):
        self.assertEqual(self.head(f"GET /{'a' * 400} HTTP/1.1", self.own(), "Connection: close"), 414)
        before = self.server.memory()
        self.assertIn(self.head(f"GET /{'a' * (1 << 20)} HTTP/1.1", self.own()), (0, 400, 414, 431))
        for size in (8 << 10, 20000, 100000, 100 << 20):
            # Of what is much too long the rest is not read, and its sender may be cut off before it listens.
            allowed = (0, 431) if size > 1 << 20 else (431,)
            self.assertIn(self.head("GET / HTTP/1.1", self.own(), f"X: {'a' * size}"), allowed, size)
        self.assertEqual(self.head("GET / HTTP/1.1", self.own(), *[f"X{n}: {'a' * 90}" for n in range(1000)]), 431)
        self.assertEqual(self.head("GET / HTTP/1.1", self.own(), f"X: {'a' * 8000}", "Connection: close"), 200)
        self.assertLess(self.server.memory() - before, 8 << 20)

    @unittest.skipIf(SANITIZED, "memory is not the program's own")
    def test_ranges_multiply_nothing(self):
        before = self.server.memory()
        for count, status in ((1500, b"200"), (10000, b"431")):
            ranges = ",".join(["0-"] * count)
            answer = self.server.raw(f"GET /studio.js HTTP/1.1\r\n{self.own()}\r\nRange: bytes={ranges}\r\n"
                                     "Connection: close\r\n\r\n".encode())
            self.assertEqual(answer.split(b" ", 2)[1], status, count)
            self.assertLess(len(answer), 1 << 20)
        self.assertLess(self.server.memory() - before, 8 << 20)

    def test_too_much_at_once_is_said_and_the_rest_goes_on(self):
        with_work = [self.server.stream("speed", {"tokens": [8192] * 8}) for _ in range(30)]
        status, ends = 200, time.monotonic() + 10
        while status == 200 and time.monotonic() < ends:  # until all of them are heard
            status, answer = self.server.post("models", {})
        self.assertEqual(status, 503)
        self.assertIn("try again", answer["error"]["message"])
        for connection in with_work:
            connection.close()
        time.sleep(1)
        self.assertEqual(self.server.post("models", {})[0], 200)


class Clients(Serving):
    def test_what_follows_a_request_that_was_not_understood_is_not_run(self):
        inner = (f"POST /api/models HTTP/1.1\r\n{self.own()}\r\nContent-Type: application/json\r\n"
                 "Content-Length: 2\r\n\r\n{}")
        tail = f" HTTP/1.1\r\nHost: elsewhere\r\nOrigin: http://elsewhere\r\nContent-Length: {len(inner)}\r\n"
        heads = ["POST /" + "a" * 9000 + tail, "POST /a b" + tail, "FOO /" + tail, "POST /" + tail + "Range: bytes=z\r\n",
                 "POST /" + tail + "X: " + "a" * 9000 + "\r\n"]
        for head in heads:
            answer = self.server.raw(f"{head}\r\n{inner}".encode())
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, head[:20])
            self.assertNotIn(b"default_model", answer)
            self.assertIn(b"Connection: close", answer)

    def test_connections_that_say_nothing_make_room(self):
        silent = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(200)]
        start = time.monotonic()
        self.assertEqual(self.server.request("GET", "/")[0], 200)
        self.assertLess(time.monotonic() - start, 10 * SOON)
        for connection in silent:
            connection.close()

    def test_a_crowd_that_comes_at_once_is_answered_to_the_last(self):
        head = (f"POST /api/models HTTP/1.1\r\n{self.own()}\r\nContent-Type: application/json\r\n"
                "Content-Length: 2\r\nConnection: close\r\n\r\n").encode()
        self.server.process.send_signal(signal.SIGSTOP)  # nobody is accepted meanwhile
        try:
            crowd = [socket.create_connection(("127.0.0.1", self.server.port), timeout=20) for _ in range(120)]
            for connection in crowd:
                connection.sendall(head)
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        time.sleep(0.1)
        for connection in crowd:
            connection.sendall(b"{}")  # the body in a packet of its own
        statuses = {int(read_all(connection)[9:12]) for connection in crowd}
        for connection in crowd:
            connection.close()
        self.assertLessEqual(statuses, {200, 503})

    def test_64_connections_of_a_byte_a_second_leave_the_page_usable(self):
        slow = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(64)]
        line = f"POST /api/models HTTP/1.1\r\n{self.own()}\r\n".encode()
        for second in range(3):
            for connection in slow:
                connection.sendall(line[second:second + 1])
            start = time.monotonic()
            self.assertEqual(self.server.request("GET", "/")[0], 200)
            self.assertEqual(self.server.post("memory", {})[0], 200)
            self.assertLess(time.monotonic() - start, 2 * SOON)
            time.sleep(1)
        ended, deadline = 0, time.monotonic() + 20
        for connection in slow:
            connection.settimeout(max(0.1, deadline - time.monotonic()))
            try:
                ended += b"408" in read_all(connection)
            except OSError:
                pass
            connection.close()
        self.assertEqual(ended, 64)

    def test_who_does_not_read_holds_up_nobody(self):
        deaf = []
        for _ in range(8):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", self.server.port))
            body = json.dumps({"tokens": list(range(1000, 1016)), "heads": 8})
            connection.sendall(f"POST /api/memory HTTP/1.1\r\n{self.own()}\r\nContent-Type: application/json\r\n"
                               f"Content-Length: {len(body)}\r\n\r\n{body}".encode() * 200)
            deaf.append(connection)
        start = time.monotonic()
        self.assertEqual(self.server.post("memory", {})[0], 200)
        self.assertLess(time.monotonic() - start, 4 * SOON)
        for connection in deaf:
            connection.close()

    def test_leaving_stops_the_work(self):
        for call, asked in (("speed", {"tokens": [8192] * 8}), ("scaling", {"d_k": [1024] * 12, "keys": 256})):
            connection = self.server.stream(call, asked)
            time.sleep(0.3)
            before = self.server.seconds()
            time.sleep(0.2)
            self.assertGreater(self.server.seconds(), before, f"{call} works until it is left")
            connection.close()
            took = self.server.rests(within=10)
            self.assertIsNotNone(took, call)
            self.assertLess(took, SOON, call)

    def test_streams_tell_progress_parts_and_the_result(self):
        events = self.server.events("speed", {"tokens": [1024, 2048]})
        names = [name for name, _ in events]
        self.assertEqual(names[-1], "result")
        self.assertEqual(names.count("part"), 2)
        parts = [data for name, data in events if name == "part"]
        self.assertEqual(events[-1][1]["rows"], parts)
        done = [data["done"] for name, data in events if name == "progress"]
        self.assertEqual(done, sorted(done))
        self.assertEqual(self.server.events("look", {"text": ""})[-1][0], "error")

    @unittest.skipIf(SANITIZED, "memory is not the program's own")
    def test_memory_stays_flat(self):
        def ask(count):
            for _ in range(count):
                self.server.post("preset", {"name": "causal"})

        ask(200)
        before = self.server.memory()
        threads = [threading.Thread(target=ask, args=(2500,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLess(self.server.memory() - before, 4 << 20)


class Program(ProgramTest):
    def test_ctrl_c_ends_it_well_even_while_it_works(self):
        server = Server()
        self.assertEqual(server.request("GET", "/")[0], 200)
        connection = server.stream("speed", {"tokens": [8192] * 8})
        time.sleep(0.3)
        start = time.monotonic()
        code, out, err = server.close()
        self.assertLess(time.monotonic() - start, 4 * SOON)
        self.assertEqual((code, out), (0, ""))
        self.assertEqual(err, "note: Ctrl-C ends it\n")
        connection.close()

    def test_a_port_that_is_taken_is_one_clear_error(self):
        with Server() as server:
            self.refused(run("studio", "--no-open", "--port", str(server.port)), 1, str(server.port), "taken", "--port")
            with Server() as other:
                self.assertNotEqual(other.port, server.port)

    def test_an_address_that_cannot_be_told_is_one_clear_error(self):
        with open("/dev/full", "wb") as full:
            self.refused(run("studio", "--no-open", stdout=full), 1, "No space left")

    def test_misuse_is_refused(self):
        for args in (("--port", "0"), ("--port", "65536"), ("--port", "x")):
            self.refused(run("studio", *args), 2, "--port")
        self.refused(run("studio", "--no-open", "--model", "no-such-model"), 1, "no-such-model", "limelight models")

    def test_without_models_the_page_says_what_brings_one(self):
        with Server(env=NO_MODELS) as server:
            self.assertIsNone(server.ask("models")["default_model"])
            status, answer = server.post("look", {"text": "a"})
            self.assertEqual(status, 409)
            self.assertIn("tools/get-model minilm", answer["error"]["message"])
            self.assertEqual(server.ask("preset", name="pronoun")["percent"][7][1], 76)


if __name__ == "__main__":
    main()
