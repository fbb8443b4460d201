"""tools/accuracy lays out what bench/accuracy and PyTorch found, and passes failures on."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent / "accuracy"
TENSORS = ["out", "lse", "dq", "dk", "dv", "dq, out in f32"]
ROWS = [{"case": "T8", "storage": storage, "tensor": tensor, "heads": 1, "tokens": 8, "head_size": 4, "causal": "no",
         "ulp": 0.5, "ours": 0.25 + at, "naive": 0.5 + at} for storage in ("f32", "f16") for at, tensor in enumerate(TENSORS)]


class Accuracy(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def script(self, path, body):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!{sys.executable}\n{body}\n")
        path.chmod(0o755)
        return path

    def run_tool(self, program, *words):
        return subprocess.run([sys.executable, str(TOOL), "--program", str(program), "--peers", str(self.folder / "peers"),
                               *words], capture_output=True, text=True)

    def test_one_line_for_each_case_and_storage(self):
        done = self.run_tool(self.script(self.folder / "program", f"print({json.dumps(json.dumps(ROWS))})"))
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], "Each cell: Limelight / naive.")
        self.assertEqual(lines[2], "| case | storage | " + " | ".join(TENSORS) + " |")
        cells = " | ".join(f"{0.25 + at:.2f} / {0.5 + at:.2f}" for at in range(len(TENSORS)))
        self.assertEqual(lines[4:], [f"| T8 | f32 | {cells} |", f"| T8 | f16 | {cells} |"])

    def test_pytorch_stands_beside_where_it_has_a_figure(self):
        found = [dict(row, pytorch=7) if row["tensor"] == "out" else row for row in ROWS]
        self.script(self.folder / "peers" / "bin" / "python",
                    f"print({json.dumps(json.dumps({'version': '9.9', 'rows': found}))})")
        done = self.run_tool(self.script(self.folder / "program", f"print({json.dumps(json.dumps(ROWS))})"))
        self.assertEqual(done.stdout.splitlines()[0], "Each cell: Limelight / naive / PyTorch 9.9.")
        self.assertIn("| 0.25 / 0.50 / 7.00 | 1.25 / 1.50 / - |", done.stdout)

    def test_without_a_working_pytorch_its_figures_are_left_out_and_it_says_why(self):
        self.script(self.folder / "peers" / "bin" / "python", "raise SystemExit('no module torch')")
        done = self.run_tool(self.script(self.folder / "program", f"print({json.dumps(json.dumps(ROWS))})"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("no module torch", done.stderr)
        self.assertNotIn("PyTorch", done.stdout)

    def test_a_program_that_fails_fails_the_tool(self):
        done = self.run_tool(self.script(self.folder / "program", "raise SystemExit(3)"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_what_is_not_understood_is_misuse(self):
        self.assertEqual(self.run_tool("program", "--unknown").returncode, 2)


if __name__ == "__main__":
    unittest.main()
