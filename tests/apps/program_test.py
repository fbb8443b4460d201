"""What works and what is refused without a model: help, misuse, tensors of one's own, files."""

import math
import os
import struct
import tempfile

from program import (PROGRAM, ProgramTest, floats, json_of, main, on_terminal, read_safetensors, run, write_safetensors)

COMMANDS = ["look", "heads", "tokens", "embed", "dump", "attend", "models", "info", "bench"]


def f32(*values):
    return struct.pack(f"<{len(values)}f", *values)


class HelpAndMisuse(ProgramTest):
    def test_every_command_has_help_with_an_example(self):
        for command in COMMANDS:
            done = run(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Example:\n  limelight " + command, done.stdout)

    def test_version(self):
        self.assertRegex(run("--version").stdout, r"^limelight \d+\.\d+\.\d+\n$")

    def test_a_command_line_that_is_wrong_is_misuse(self):
        cases = {
            (): "no command is given",
            ("loook",): "loook",
            ("look",): "no text",
            ("look", "The", "cat", "sat"): "not expected: cat sat; write the text in quotes",
            ("look", "a", "--nope", "b"): "not expected: --nope b; see",
            ("look", "a", "--nope"): "--nope",
            ("look", "a", "--layer", "x"): "--layer",
            ("look", "a", "--layer", "-1"): "0 or more",
            ("look", "a", "--head", "99999999999999999999"): "--head",
            ("look", "a", "--mask", "left"): "causal",
            ("look", "a", "--word", ""): "--word: expected a text that is not empty, found an empty one",
            ("look", "a", "--find", "b"): "--word",
            ("look", "a", "--word", "a", "--find", "b", "--head", "1"): "--head",
            ("look", "a", "--json", "--csv"): "--csv",
            ("look", "a", "--word", "a", "--top", "1", "--json"): "--top",
            ("look", "a", "--word", "a", "--top", "1", "--csv"): "--top",
            ("look", "a", "--file", "b"): "--file",
            ("look", "a", "--top", "0", "--word", "a"): "--top",
            ("heads", "a"): "--from",
            ("dump", "a"): "--out",
            ("attend", "--out", "x"): "IN",
            ("attend", "x", "--out", "y", "--scale", "nan"): "--scale",
            ("attend", "x", "--out", "y", "--window", "1"): "--window",
            ("attend", "x", "--out", "y", "--rows", "1,b"): "--rows",
            ("bench", "speed"): "attention",
        }
        for args, word in cases.items():
            with self.subTest(args=args):
                self.refused(run(*args), 2, word, "--help")

    def test_a_model_that_is_missing_names_the_command_that_brings_it(self):
        with tempfile.TemporaryDirectory() as empty:
            self.refused(run("look", "a", env={"LIMELIGHT_MODELS": empty}), 1, "tools/get-model minilm", empty)
            self.refused(run("look", "a", "--model", "nope"), 1, "nope", "limelight models")
            self.refused(run("look", "a", "--model", empty), 1, empty)

    def test_info_and_models(self):
        info = json_of("info")
        self.assertIn(info["active_isa"], info["isas"])
        self.assertGreaterEqual(info["threads"], 1)
        models = {model["name"]: model for model in json_of("models")}
        self.assertTrue(models["minilm"]["runs"])
        self.assertEqual(models["minilm"]["command"], "tools/get-model minilm")

    def test_an_instruction_set_that_is_not_here_is_refused(self):
        self.refused(run("info", env={"LIMELIGHT_ISA": "abacus"}), 1, "LIMELIGHT_ISA", "abacus")

    def test_a_full_disk_is_one_line(self):
        with open("/dev/full", "wb") as full:
            self.refused(run("info", stdout=full), 1, "No space left")

    def test_a_closed_pipe_is_no_crash(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = run("info", stdout=writer)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (1, ""))

    def test_no_colour_in_a_pipe_or_where_it_is_not_wanted(self):
        self.assertNotIn("\x1b", run("info").stdout)
        self.assertNotIn("\x1b", on_terminal(80, "models", env={"NO_COLOR": "1"}))


class Attend(ProgramTest):
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

    def left_nothing(self):
        self.assertEqual(os.listdir(self.folder.name), ["in.safetensors"])

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

    def test_nan_that_is_seen_propagates(self):
        self.write(v=("F32", [1, 1, 2, 1], f32(4, math.nan)))
        self.assertEqual(self.attend().returncode, 0)
        self.assertTrue(all(math.isnan(x) for x in floats(read_safetensors(self.target)["out"][2])))

    def test_bias_mask_and_lengths_are_read_and_broadcast(self):
        for extra in ({"mask": ("BOOL", [2], bytes([1, 0]))}, {"mask": ("U8", [1, 1, 1, 2], bytes([7, 0]))},
                      {"bias": ("F32", [2], f32(0, -math.inf))}, {"key_lengths": ("I64", [1], struct.pack("<q", 1))}):
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
        self.assertEqual(done.stderr, "note: float64 narrowed to float32: q\n")

    def test_tensors_that_do_not_fit_are_refused_by_name(self):
        good = f32(1, 1)
        cases = [
            ({"v": None}, "v"), ({"q": ("F32", [2, 1], good)}, "q"), ({"q": ("I64", [1, 1, 2, 1], bytes(16))}, "q"),
            ({"k": ("F32", [1, 1, 1, 2], good)}, "k"), ({"v": ("F32", [1, 1, 1, 2], good)}, "v"),
            ({"k": ("F32", [1, 2, 1, 1], good)}, "k"), ({"bias": ("F32", [3], f32(1, 2, 3))}, "bias"),
            ({"mask": ("F32", [2], good)}, "mask"), ({"key_lengths": ("I64", [1], struct.pack("<q", 3))}, "key_lengths"),
            ({"key_lengths": ("I64", [2], bytes(16))}, "key_lengths"),
        ]
        for change, name in cases:
            with self.subTest(change=change):
                self.write(**change)
                self.refused(self.attend(), 1, "limelight: " + self.source + ": ", name)
                self.left_nothing()

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


class Bench(ProgramTest):
    def test_measures_what_was_asked_with_its_peak(self):
        found = json_of("bench", "attention", "--T", "16,32", "--D", "8", "--E", "4", "--H", "2", "--G", "1", "--causal",
                        "bottom-right", "--threads", "1", "--repeat", "1")
        self.assertEqual([t["M"] for t in found], [16, 32])
        self.assertEqual(list(found[0]), ["B", "H", "G", "M", "N", "D", "E", "causal", "threads", "seconds", "gflops",
                                          "peak_gflops", "share"])
        for timing in found:
            live = 2 * timing["M"] * (timing["M"] + 1) / 2
            self.assertAlmostEqual(timing["gflops"] * timing["seconds"] * 1e9, 2 * live * 12, delta=1)
            self.assertAlmostEqual(timing["share"], timing["gflops"] / timing["peak_gflops"])

    def test_shapes_that_do_not_fit_are_refused(self):
        self.refused(run("bench", "attention", "--T", "16", "--H", "3", "--G", "2"), 1, "attention")


if __name__ == "__main__":
    assert os.path.exists(PROGRAM), PROGRAM
    main(needs_minilm=False)
