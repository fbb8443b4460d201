"""What works and what is refused without a model: help, misuse, streams."""

import os
import tempfile

from program import PROGRAM, ProgramTest, json_of, main, on_terminal, run


def commands():
    listed = run("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


class Models(ProgramTest):
    def test_what_is_no_model_is_told_from_what_is(self):
        with tempfile.TemporaryDirectory() as folder:
            def made(name, content=b"x"):
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(content)
                return file.name

            kinds = "expected a folder with config.json or one .gguf file in it, or a .gguf file, found "
            self.refused(run("look", "a", "--model", made("README.md")), 1, "README.md: " + kinds + "another file")
            weights = made("model.safetensors")
            self.refused(run("look", "a", "--model", weights), 1, kinds + "a safetensors file; name its folder")
            self.refused(run("look", "a", "--model", folder), 1, kinds + "neither in it")
            gguf = made("a.gguf", b"\2\0\0\0\0\0\0\0{}")
            for path in (gguf, folder):
                self.refused(run("look", "a", "--model", path), 1, "expected 'GGUF'", "looks like a safetensors file")
            made("b.gguf")
            self.refused(run("look", "a", "--model", folder), 1, kinds + "2 .gguf files; name one")
            self.refused(run("look", "a", "--model", os.path.join(folder, "c")), 1, "limelight models")


class HelpAndMisuse(ProgramTest):
    def test_every_command_has_help_with_an_example(self):
        self.assertLessEqual({"look", "attend", "studio"}, set(commands()))
        for command in commands():
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
            ("look", "a", "--layer"): "--layer: expected a value, found none",
            ("look", "a", "--json=5"): "--json takes no value",
            ("look", "a", "--layer", "1", "--layer", "2"): "--layer: expected once, found more often",
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
            ("attend", "x", "--out", "y", "--rows", "1,"): "--rows",
            ("attend", "x", "--out", "y", "--rows", ","): "--rows",
            ("attend", "x", "--out", "y", "--softcap", "-1"): "--softcap: expected a finite number, 0 or more",
            ("attend", "x", "--out", "y", "--heatmap", "20000"): "--heatmap: expected a whole number from 1 to 16384",
            ("attend", "x", "--out", "y", "--top-k", "99999999999"): "--top-k: expected a whole number from 1 to",
            ("attend", "x", "--out", "y", "--dropout", "1"): "--dropout: expected a number from 0 to below 1",
            ("attend", "x", "--out", "y", "--dropout", "-0.1"): "--dropout",
            ("attend", "x", "--out", "y", "--seed", "1"): "--dropout",
            ("attend", "x", "--out", "y", "--offset", "1"): "--dropout",
            ("attend", "x", "--out", "y", "--dtype", "f64"): "f32, f16, bf16",
            ("attend", "x", "--out", "y", "--causal", "left"): "none, top-left, bottom-right",
            ("dump", "--ids", "101,", "--out", "y"): "--ids",
            ("look", "a", "--html", "no-such/x", "--svg", "./no-such/../no-such/x"): "--html and --svg are one file",
        }
        for args, word in cases.items():
            with self.subTest(args=args):
                self.refused(run(*args), 2, word, "--help")

    def test_a_measurement_that_cannot_be_is_misuse(self):
        cases = {
            ("bench", "speed"): "attention, backward, decode",
            ("bench", "--length", "9"): "not expected: --length",
            ("bench", "attention", "T=9"): "not expected: T=9",
            ("bench", "--T", "9999999999"): "--T: expected a whole number from 1 to",
            ("bench", "decode", "--causal", "top-left"): "top-left",
        }
        for args, word in cases.items():
            with self.subTest(args=args):
                self.refused(run(*args), 2, word, "--help")

    def test_a_dash_is_no_file_to_write(self):
        for args in (("attend", "x", "--out"), ("dump", "a", "--out"), ("look", "a", "--html"), ("look", "a", "--svg")):
            with self.subTest(args=args):
                self.refused(run(*args, "-"), 2, args[-1] + ": expected a file to write", "/dev/stdout", "--help")

    def test_a_generation_that_cannot_be_is_misuse(self):
        cases = {
            ("generate",): "no text",
            ("generate", "a", "--max-tokens", "0"): "--max-tokens: expected a whole number, 1 or more",
            ("generate", "a", "--temperature", "-1"): "--temperature",
            ("generate", "a", "--temperature", "nan"): "--temperature",
            ("generate", "a", "--top-k", "-1"): "--top-k",
            ("generate", "a", "--top-p", "0"): "--top-p: expected a number above 0 and at most 1",
            ("generate", "a", "--top-p", "nan"): "--top-p: expected a finite number, found nan",
            ("generate", "a", "--seed", "18446744073709551615"): "--seed: expected a whole number, 0 or more, below 2^63",
            ("generate", "a", "--top-p", "1.5"): "--top-p",
            ("generate", "a", "--seed", "-1"): "--seed",
            ("generate", "a", "--greedy", "--top-k", "5"): "--top-k",
            ("generate", "a", "--stop", ""): "--stop",
            ("generate", "a", "--watch", "13.8"): "--watch: expected a layer and a head, as L13.H8, found 13.8",
            ("generate", "a", "--watch", "L1.H-1"): "--watch",
            ("generate", "a", "--shift"): "--shift",
        }
        for args, word in cases.items():
            with self.subTest(args=args):
                self.refused(run(*args), 2, word, "--help")

    def test_a_model_that_is_missing_names_the_command_that_brings_it(self):
        with tempfile.TemporaryDirectory() as empty:
            self.refused(run("look", "a", env={"LIMELIGHT_MODELS": empty}), 1, "tools/get-model minilm", empty)
            self.refused(run("look", "a", "--model", "nope"), 1, "nope", "limelight models")
            self.refused(run("look", "a", "--model", empty), 1, empty)
            self.refused(run("generate", "a", env={"LIMELIGHT_MODELS": empty}), 1, "tools/get-model smollm2", empty)
            self.refused(run("generate", "a", "--model", "minilm", env={"LIMELIGHT_MODELS": empty}), 1, "minilm")
            broken = os.path.join(empty, "a.gguf")
            with open(broken, "wb") as file:
                file.write(b"GGUF\x03")
            self.refused(run("look", "a", "--model", broken), 1, broken)

    def test_info_and_models(self):
        info = json_of("info")
        self.assertIn(info["active_isa"], info["isas"])
        self.assertGreaterEqual(info["threads"], 1)
        models = {model["name"]: model for model in json_of("models")}
        self.assertEqual((models["minilm"]["writes"], models["smollm2"]["writes"]), (False, True))
        self.assertEqual(models["minilm"]["command"], "tools/get-model minilm")

    def test_an_instruction_set_that_is_not_here_is_refused(self):
        self.refused(run("info", env={"LIMELIGHT_ISA": "abacus"}), 1, "LIMELIGHT_ISA", "abacus")

    def test_no_character_turns_the_direction_of_an_error(self):
        turning = "\u061c\u200e\u200f\u2028\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        done = run("attend", "a" + turning + "b", "--out", "c")
        self.refused(done, 1, "a" + "\ufffd" * len(turning) + "b")

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


if __name__ == "__main__":
    assert os.path.exists(PROGRAM), PROGRAM
    main()
