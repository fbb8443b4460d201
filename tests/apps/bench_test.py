"""What bench counts: multiply-adds of live pairs, or bytes, against the peak of the same run."""

import os
import subprocess

from program import PROGRAM, ProgramTest, json_of, main, run


class Bench(ProgramTest):
    def test_measures_what_was_asked_with_its_peak(self):
        found = json_of("bench", "attention", "--T", "16,32", "--D", "8", "--E", "4", "--H", "2", "--G", "1",
                        "--causal", "bottom-right", "--threads", "1", "--repeat", "1")
        self.assertEqual([t["M"] for t in found], [16, 32])
        self.assertEqual(list(found[0]), ["what", "dtype", "B", "H", "G", "M", "N", "D", "E", "causal", "threads",
                                          "seconds", "gflops", "peak_gflops", "share"])
        for timing in found:
            live = 2 * timing["M"] * (timing["M"] + 1) / 2
            self.assertAlmostEqual(timing["gflops"] * timing["seconds"] * 1e9, 2 * live * 12, delta=1)
            self.assertGreater(min(timing["share"], timing["peak_gflops"]), 0)  # medians: no quotient of each other

    def test_backward_counts_both_passes(self):
        for dtype in ("f32", "f16", "bf16"):
            found, = json_of("bench", "backward", "--T", "16", "--D", "8", "--E", "4", "--causal", "none", "--dtype",
                             dtype, "--threads", "1", "--repeat", "1")
            self.assertEqual((found["what"], found["dtype"]), ("backward", dtype))
            self.assertAlmostEqual(found["gflops"] * found["seconds"] * 1e9, 2 * 16 * 16 * (4 * 8 + 3 * 4), delta=1)

    def test_decode_counts_the_bytes_of_keys_and_values(self):
        for dtype, size in (("f32", 4), ("bf16", 2)):
            found, = json_of("bench", "decode", "--T", "512", "--H", "4", "--G", "2", "--D", "8", "--E", "4", "--dtype",
                             dtype, "--threads", "1", "--repeat", "1")
            self.assertEqual((found["M"], found["N"], found["causal"]), (1, 512, "none"))
            self.assertAlmostEqual(found["gbytes"] * found["seconds"] * 1e9, 2 * 512 * 12 * size, delta=1)
            self.assertGreater(min(found["share"], found["peak_gbytes"]), 0)

    def test_the_table_says_the_sizes_once(self):
        done = run("bench", "--T", "16,32", "--D", "8", "--H", "2", "--threads", "1", "--repeat", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "attention, f32: B 1, H 2, G 2, D 8, E 8")
        self.assertEqual(lines[2].split(), ["M", "N", "causal", "threads", "ms", "GFLOP/s", "peak", "share"])
        self.assertEqual([line.split()[:3] for line in lines[3:]], [
            [t, t, mask] for t in ("16", "32") for mask in ("none", "bottom_right")])

    def test_shapes_that_do_not_fit_are_refused(self):
        self.refused(run("bench", "attention", "--T", "16", "--H", "3", "--G", "2"), 1, "k: expected a number of heads")

    def test_what_takes_long_is_told_before_it_begins(self):
        sizes = ["--T", "9999999", "--D", "1", "--threads", "1", "--causal", "none"]
        with subprocess.Popen([PROGRAM, "bench", *sizes], stderr=subprocess.PIPE, text=True) as bench:
            told = bench.stderr.readline()
            bench.kill()
        self.assertRegex(told, r"^note: M 9999999, N 9999999: a call takes at least \d+ s; Ctrl-C ends it\n$")


if __name__ == "__main__":
    assert os.path.exists(PROGRAM), PROGRAM
    main()
