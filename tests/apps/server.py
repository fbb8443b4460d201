"""The studio as a test talks to it: the program, serving on a port of its own."""

import http.client
import json
import os
import signal
import socket
import subprocess
import time

from program import PROGRAM

# Under sanitizers memory is not the program's own, and time is many times as long.
SANITIZED = "LIMELIGHT_RANDOM_PROBLEMS" in os.environ
# 200 ms are promised; looking at the processor's clock and a busy machine add to it.
SOON = 5 if SANITIZED else 0.5


class Server:
    """Runs `limelight studio` until it is closed."""

    def __init__(self, *args, env=None):
        self.process = subprocess.Popen([PROGRAM, "studio", "--no-open", *args], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        self.address = self.process.stdout.readline().strip()
        self.port = int(self.address.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        self.close()

    def close(self):
        """Ends it as Ctrl-C does; its exit code, and what it said."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, out, err

    def request(self, method, path, body=None, headers=None, timeout=120):
        """(status, headers in lower case, body)"""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def post(self, call, asked, headers=None):
        """(status, JSON)"""
        status, _, body = self.request("POST", f"/api/{call}", json.dumps(asked),
                                       {"Content-Type": "application/json", **(headers or {})})
        return status, json.loads(body)

    def ask(self, call, **asked):
        status, answer = self.post(call, asked)
        if status != 200:
            raise AssertionError(f"{call}: {status} {answer}")
        return answer

    def raw(self, data, timeout=15):
        """All that comes back to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            try:
                connection.sendall(data)
                return read_all(connection)
            except (ConnectionResetError, BrokenPipeError):
                return b""

    def stream(self, call, asked):
        """A socket on which a call was asked to stream."""
        body = json.dumps(asked).encode()
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=60)
        head = (f"POST /api/{call} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
                f"Accept: text/event-stream\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n")
        connection.sendall(head.encode() + body)
        return connection

    def events(self, call, asked):
        """[(event, JSON)], in order."""
        with self.stream(call, asked) as connection:
            text = unchunked(read_all(connection).split(b"\r\n\r\n", 1)[1]).decode()
        events = []
        for block in text.strip().split("\n\n"):
            name, data = block.split("\n", 1)
            events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
        return events

    def seconds(self):
        """Processor time it has used."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Bytes it holds."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def rests(self, within):
        """Whether it stops computing within so many seconds; the time that took."""
        start = time.monotonic()
        while time.monotonic() - start < within:
            before = self.seconds()
            time.sleep(0.05)
            if self.seconds() - before <= 0.01:
                return time.monotonic() - start
        return None


def read_all(connection):
    data = b""
    while True:
        block = connection.recv(65536)
        if not block:
            return data
        data += block


def unchunked(data):
    body = b""
    while data:
        size, data = data.split(b"\r\n", 1)
        length = int(size, 16)
        body, data = body + data[:length], data[length + 2:]
    return body
