"""The cases of bench/peers are what they say, and wrong arguments are refused before anything is installed."""

import subprocess
import sys
import unittest
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent.parent / "bench"
sys.path.insert(0, str(BENCH / "sides"))
import cases  # noqa: E402

ALL = [case for group in cases.GROUPS for case in group.cases]
ATTENTION = [case for case in ALL if isinstance(case, cases.Case)]
MODELS = [case for case in ALL if isinstance(case, cases.ModelCase)]


def peers(*words):
    return subprocess.run([sys.executable, str(BENCH / "peers"), *words], capture_output=True, text=True)


class Cases(unittest.TestCase):
    def test_every_name_stands_for_one_case(self):
        names = [case.name for case in ALL]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual(set(cases.QUICK), set(names))

    def test_a_line_says_the_whole_case(self):
        for case in ATTENTION:
            words = case.line(2, "a folder").split()[1:]
            self.assertEqual(cases.of_line(words), (case, case.copies, 2, "a folder"))
        for case in MODELS:
            words = case.line(2, "a folder").split()[1:]
            self.assertEqual(cases.model_of_line(words), (case.work, case.texts, case.tokens, 2, "a folder"))

    def test_shares_count_live_pairs_and_bytes_read(self):
        units = {case.name: case.units for case in ALL if case.name != "generate smollm2 T512"}  # that one reads the file
        self.assertEqual(units["forward H8 T512 D64"], 4 * 8 * 512 * 512 * 64)
        self.assertEqual(units["forward H8 T512 D64 causal"], 4 * 8 * (512 * 513 // 2) * 64)
        self.assertEqual(units["training H1 T4096 D128"], 14 * 4096 * 4096 * 128)
        linear = 6 * (4 * 384 * 384 + 2 * 384 * 1536)
        self.assertEqual(units["encode minilm 8 x T128"], 8 * (2 * 128 * linear + 4 * 6 * 128 * 128 * 384))
        self.assertEqual(units["decode H32/G8 N8192 D128"], 2 * 8 * 8192 * 128 * 4)


class Arguments(unittest.TestCase):
    def test_what_is_not_understood_is_misuse(self):
        for words in (["--threads", "none"], ["--threads", "0"], ["--rounds", "0"], ["--unknown"], ["word"]):
            self.assertEqual(peers(*words).returncode, 2, words)

    def test_a_filter_that_leaves_nothing_says_so(self):
        done = peers("--only", "no such case")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--list", done.stderr)

    def test_list_names_every_case(self):
        self.assertEqual(peers("--list").stdout.splitlines(), [case.name for case in ALL])


if __name__ == "__main__":
    unittest.main()
