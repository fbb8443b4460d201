"""Runs the program as a user types it: in a pipe, or on a terminal of a given width."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unittest
from pathlib import Path

PROGRAM = os.environ.get("LIMELIGHT_PROGRAM", "build/release/limelight")
SENTENCE = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."


def run(*args, stdin=None, env=None, stdout=subprocess.PIPE):
    """The finished process; its stdout and stderr are text."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    source = {"input": data} if data is not None else {"stdin": subprocess.DEVNULL}
    done = subprocess.run([PROGRAM, *args], stdout=stdout, stderr=subprocess.PIPE,
                          env={**os.environ, **(env or {})}, timeout=120, **source)
    done.stdout = (done.stdout or b"").decode()
    done.stderr = done.stderr.decode()
    return done


def json_of(*args, **options):
    done = run(*args, "--json", **options)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def on_terminal(width, *args, env=None):
    """What the program draws on a terminal of this many columns, with its escape codes."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        clean = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "COLORFGBG")}
        os.execve(PROGRAM, [PROGRAM, *args], {**clean, "TERM": "xterm-256color", **(env or {})})
    text = b""
    while True:
        try:
            block = os.read(terminal, 65536)
        except OSError:  # the other end has closed
            break
        if not block:
            break
        text += block
    os.close(terminal)
    os.waitpid(process, 0)
    return text.decode().replace("\r\n", "\n")


def without_colour(text):
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def read_safetensors(path):
    """{name: (type, shape, bytes)}"""
    data = Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    body = data[8 + size:]
    return {name: (t["dtype"], t["shape"], body[slice(*t["data_offsets"])]) for name, t in header.items()}


def write_safetensors(path, tensors):
    """tensors: {name: (type, shape, bytes)}"""
    header, body = {}, b""
    for name, (kind, shape, data) in tensors.items():
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def floats(data, kind="f"):
    return list(struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data))


class ProgramTest(unittest.TestCase):
    def refused(self, done, code, *words):
        """One line on stderr with these words, nothing on stdout, and the exit code."""
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertNotRegex(done.stderr, r": \[[A-Za-z_:]+\] ", "a function of the library")
        for word in words:
            self.assertIn(word, done.stderr)


MODEL_FILES = {"minilm": "model.safetensors", "smollm2": "SmolLM2-135M-Instruct.Q4_1.gguf"}


def model_file(name):
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(os.environ.get("HOME", ""), ".local/share")
    folder = os.environ.get("LIMELIGHT_MODELS") or os.path.join(data, "limelight/models")
    return os.path.join(folder, name, MODEL_FILES[name])


def main(needs=None):
    """Runs the tests of the calling file; skipped, by name, where the model it needs is absent."""
    if needs and not os.path.exists(model_file(needs)):
        print(f"skipped: the model is not here; bring it with: tools/get-model {needs}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
