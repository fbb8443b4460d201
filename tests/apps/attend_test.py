"""attend: what is read, refused and written."""

import json
import math
import os
import struct
import subprocess
from pathlib import Path

from attend_fixture import AttendTest, f32, i64
from program import PROGRAM, floats, main, read_safetensors, run


class Attend(AttendTest):
    def test_writes_all_that_was_asked(self):
        self.write()
        done = self.attend("--rows", "all", "--top-k", "3", "--received", "--entropy", "--heatmap", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        out = read_safetensors(self.target)
        shapes = {name: t[1] for name, t in out.items()}
        self.assertEqual(shapes, {
            "out": [1, 1, 2, 1], "lse": [1, 1, 2], "rows": [1, 1, 2, 2], "rows_blocked": [1, 1, 2, 2],
            "top_index": [1, 1, 2, 3], "top_weight": [1, 1, 2, 3], "received": [1, 1, 2], "entropy": [1, 1, 2],
            "heatmap_sum": [1, 1, 1, 1], "heatmap_max": [1, 1, 1, 1]})
        for found, wanted in zip(floats(out["rows"][2]), [0.25, 0.75, 0.25, 0.75]):
            self.assertAlmostEqual(found, wanted, places=6)
        for found in floats(out["out"][2]):
            self.assertAlmostEqual(found, 7.0, places=5)
        for found in floats(out["lse"][2]):
            self.assertAlmostEqual(found, math.log(4), places=6)
        self.assertEqual(floats(out["top_index"][2], "q"), [1, 0, -1, 1, 0, -1])
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["in.safetensors", "out.safetensors"])

    def test_a_masked_key_is_blocked_and_not_observed(self):
        self.write(v=("F32", [1, 1, 2, 1], f32(4, math.nan)))
        for causal in ("bottom-right", "bottom_right", "top-left"):
            done = self.attend("--rows", "0", "--causal", causal)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("note: v: 1 of 2 values are NaN", done.stderr)
            out = read_safetensors(self.target)
            self.assertEqual(floats(out["out"][2])[0], 4.0)
            self.assertEqual(list(out["rows_blocked"][2]), [0, 1])

    def test_nan_in_a_bias_is_noted_and_a_mask_is_not(self):
        self.write(bias=("F32", [2, 2], f32(0, math.nan, -math.inf, 0)))
        self.attended(notes="note: bias: 1 of 4 values are NaN or plus infinity; they reach every row that sees them\n")
        self.write(bias=("F32", [2], f32(0, -math.inf)))
        self.attended()

    def test_nan_that_is_seen_propagates(self):
        self.write(v=("F32", [1, 1, 2, 1], f32(4, math.nan)))
        self.assertEqual(self.attend().returncode, 0)
        self.assertTrue(all(math.isnan(x) for x in floats(read_safetensors(self.target)["out"][2])))

    def test_bias_mask_and_lengths_are_read_and_broadcast(self):
        for extra in ({"mask": ("BOOL", [2], bytes([1, 0]))}, {"mask": ("U8", [1, 1, 1, 2], bytes([7, 0]))},
                      {"bias": ("F32", [2], f32(0, -math.inf))}, {"key_lengths": ("I64", [1], i64(1))}):
            self.write(**extra)
            done = self.attend("--rows", "-1")
            self.assertEqual(done.returncode, 0, done.stderr)
            out = read_safetensors(self.target)
            self.assertEqual(floats(out["out"][2]), [4.0, 4.0])
            self.assertEqual(list(out["rows_blocked"][2]), [0, 1])

    def test_float64_is_narrowed_with_a_note(self):
        self.write(q=("F64", [1, 1, 2, 1], struct.pack("<2d", 1, 1)))
        done = self.attend()
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "note: narrowed to f32: q\n")

    def test_tensors_that_do_not_fit_are_refused_by_name(self):
        good = f32(1, 1)
        cases = [
            ({"v": None}, "v"), ({"q": ("F32", [2, 1], good)}, "q"), ({"q": ("I64", [1, 1, 2, 1], bytes(16))}, "q"),
            ({"k": ("F32", [1, 1, 1, 2], good)}, "k"), ({"v": ("F32", [1, 1, 1, 2], good)}, "v"),
            ({"k": ("F32", [1, 2, 1, 1], good)}, "k"), ({"bias": ("F32", [3], f32(1, 2, 3))}, "bias"),
            ({"mask": ("F32", [2], good)}, "mask"), ({"key_lengths": ("I64", [1], i64(3))}, "key_lengths"),
            ({"key_lengths": ("I64", [2], bytes(16))}, "key_lengths"),
        ]
        for change, name in cases:
            with self.subTest(change=change):
                self.write(**change)
                self.refused(self.attend(), 1, "limelight: " + self.source + ": ", name)
                self.left_nothing()

    def test_options_that_do_not_go_together_are_refused_by_name(self):
        two, pages = ("I64", [2], i64(1, 1)), ("I64", [1, 2], i64(0, 0))
        cases = [({"cu_q": ("I64", [2], i64(0, 2))}, "cu_k"), ({"block_table": pages}, "key_lengths"),
                 ({"cu_q": ("I64", [2], i64(0, 1)), "cu_k": ("I64", [2], i64(0, 2))}, "cu_q"),
                 ({"block_table": ("I64", [1, 2], i64(0, 7)), "key_lengths": ("I64", [1], i64(4))}, "block_table"),
                 ({"sinks": ("F32", [2], f32(0, 0))}, "sinks"),
                 ({"alibi_slopes": ("F32", [2], f32(0, 0))}, "alibi_slopes"),
                 ({"key_lengths": two}, "key_lengths"), ({"cu_q": ("F32", [2], f32(0, 2))}, "cu_q")]
        for change, name in cases:
            with self.subTest(change=change):
                self.write(**change)
                self.refused(self.attend(), 1, "limelight: " + self.source + ": ", name)
                self.left_nothing()
        self.write(alibi_slopes=("F32", [1], f32(1)))
        self.refused(self.attend("--alibi"), 1, self.source, "alibi_slopes: expected none with --alibi, found [1]")

    def test_requests_beyond_the_tensors_are_refused(self):
        self.write()
        self.refused(self.attend("--rows", "2"), 1, "rows")
        self.refused(self.attend("--rows", "-3"), 1, "rows")
        self.left_nothing()

    def test_the_input_is_never_overwritten(self):
        self.write()
        before = read_safetensors(self.source)
        link = os.path.join(self.folder.name, "link")
        os.symlink(self.source, link)
        other = os.path.join(self.folder.name, ".", "in.safetensors")
        for source, target in ((self.source, self.source), (self.source, link), (link, self.source),
                               (self.source, other)):
            self.refused(run("attend", source, "--out", target), 2, "--out", "is the file that is read")
        for command, option in (("look", "--html"), ("look", "--svg"), ("dump", "--out")):
            self.refused(run(command, "--file", self.source, option, link), 2, option, "is the file that is read")
        self.assertEqual(read_safetensors(self.source), before)
        self.assertEqual(self.attend("--causal", "none").returncode, 0)
        self.assertEqual(self.attend("--causal", "none").returncode, 0)  # an output that is there is replaced

    def test_files_that_are_not_what_they_should_be(self):
        self.refused(run("attend", self.source, "--out", self.target), 1, self.source)
        with open(self.source, "wb") as file:
            file.write(b"not tensors")
        self.refused(self.attend(), 1, self.source)
        self.left_nothing()
        self.write()
        self.refused(run("attend", self.source, "--out", "/nonexistent/out"), 1, "/nonexistent/out")
        self.refused(run("attend", self.source, "--out", "/dev/full"), 1, "No space left")

    def test_a_file_that_becomes_shorter_while_it_is_read_is_one_line(self):
        tensor, size = {"dtype": "F32", "shape": [1, 1, 1 << 20, 64]}, 1 << 28  # too much to be done before it is cut
        tensors = {name: {**tensor, "data_offsets": [i * size, (i + 1) * size]} for i, name in enumerate("qkv")}
        header = json.dumps(tensors).encode()
        with open(self.source, "wb") as file:
            file.write(struct.pack("<Q", len(header)) + header)
            file.truncate(8 + len(header) + 3 * size)
        with subprocess.Popen([PROGRAM, "attend", self.source, "--out", self.target], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            while self.source not in Path(f"/proc/{process.pid}/maps").read_text():
                self.assertIsNone(process.poll())
            os.truncate(self.source, 4096)
            out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (1, b""))
        self.assertEqual(err, b"limelight: a file became shorter while it was read; run it again\n")
        self.assertEqual(os.listdir(self.folder.name), ["in.safetensors"])


if __name__ == "__main__":
    assert os.path.exists(PROGRAM), PROGRAM
    main()
