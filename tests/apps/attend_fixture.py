"""Runs attend on small tensors of one's own."""

import math
import os
import struct
import tempfile

from program import ProgramTest, read_safetensors, run, write_safetensors


def f32(*values):
    return struct.pack(f"<{len(values)}f", *values)


def f16(*values):
    return struct.pack(f"<{len(values)}e", *values)


def bf16(*values):
    """Of floats that bf16 holds exactly: the upper half of each."""
    return b"".join(struct.pack("<f", x)[2:] for x in values)


def i64(*values):
    return struct.pack(f"<{len(values)}q", *values)


def i32(*values):
    return struct.pack(f"<{len(values)}i", *values)


class AttendTest(ProgramTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = os.path.join(self.folder.name, "in.safetensors")
        self.target = os.path.join(self.folder.name, "out.safetensors")

    def write(self, **changes):
        """One head, two queries and keys of size 1: scores 0 and log 3 with scale 1."""
        tensors = {"q": ("F32", [1, 1, 2, 1], f32(1, 1)), "k": ("F32", [1, 1, 2, 1], f32(0, math.log(3))),
                   "v": ("F32", [1, 1, 2, 1], f32(4, 8))}
        tensors.update(changes)
        write_safetensors(self.source, {name: t for name, t in tensors.items() if t})

    def attend(self, *args):
        return run("attend", self.source, "--out", self.target, "--scale", "1", *args)

    def attended(self, *args, notes=""):
        """The tensors written."""
        done = self.attend(*args)
        self.assertEqual((done.returncode, done.stderr), (0, notes))
        return read_safetensors(self.target)

    def close(self, found, wanted, bound=1e-5):
        """Lists of floats, to `bound` of the largest one wanted."""
        self.assertEqual(len(found), len(wanted))
        scale = max([1.0] + [abs(x) for x in wanted if math.isfinite(x)])
        for a, b in zip(found, wanted):
            self.assertTrue(a == b or abs(a - b) <= bound * scale, (found, wanted))

    def left_nothing(self):
        self.assertEqual(os.listdir(self.folder.name), ["in.safetensors"])
