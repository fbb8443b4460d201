"""What a model's files or a text hold reaches a person as signs that are seen, and cut; a program gets it whole."""

import json
import shutil
import tempfile
from pathlib import Path

from program import ProgramTest, json_of, main, on_terminal, run, without_colour

TINY = Path(__file__).parents[1] / "golden" / "tiny"
CLEAR, COLOUR, TURNED = "\x1b[2Jb", "\u009b31mc", "d\u202ea"
HOSTILE = "".join(chr(c) for c in [*range(32), *range(127, 160), 0x202e, 0x2066]).replace("\n", "")


def tokenizer(added):
    flags = {flag: False for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")}
    return {
        "version": "1.0", "normalizer": None, "post_processor": None, "decoder": {"type": "ByteLevel"},
        "added_tokens": [{"id": 10 + i, "content": text, **flags} for i, text in enumerate(added)],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
                  "vocab": {"a": 3, "b": 4, "c": 5, "d": 6, "Ġ": 7}, "merges": []}}


class Legible(ProgramTest):
    def model(self, name, added):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / name
        shutil.copytree(TINY / "llama", path)
        (path / "tokenizer.json").write_text(json.dumps(tokenizer(added)))
        return str(path)

    def harmless(self, text):
        self.assertEqual(sorted(set(HOSTILE) & set(without_colour(text))), [])

    def test_no_piece_or_name_of_a_model_controls_the_terminal(self):
        model = self.model("model\x1b[2J", [CLEAR, COLOUR, TURNED])
        text = f"a {CLEAR} {COLOUR} {TURNED} b"
        for args in (["look", text, "--pieces"], ["look", text, "--word", "#0", "--pieces"], ["look", text],
                     ["look", text, "--word", TURNED], ["look", text, "--word", "b:3"], ["tokens", text],
                     ["heads", text, "--from", "b:2", "--to", TURNED], ["look", text, "--find", TURNED, "--word", "#3"],
                     ["generate", text, "--watch", "L1.H0", "--max-tokens", "5", "--temperature", "9"]):
            for width in (200, 40):
                with self.subTest(args=args, width=width):
                    self.harmless(on_terminal(width, *args, "--model", model))
            self.harmless(run(*args, "--model", model).stderr)
        self.assertIn("model␛[2J", without_colour(on_terminal(200, "look", text, "--pieces", "--model", model)))
        self.assertIn("␛[2Jb", run("tokens", text, "--model", model).stdout)

    def test_text_that_is_written_controls_the_terminal_by_no_character_but_line_end_and_tab(self):
        model = self.model("model", [CLEAR, COLOUR, TURNED])
        written = ""
        for seed in range(8):
            args = ["generate", f"a\n\tb {CLEAR}", "--model", model, "--temperature", "9", "--seed", str(seed)]
            drawn = on_terminal(80, *args)
            self.harmless(drawn.replace("\t", ""))
            self.assertIn("a\n\tb ␛[2Jb", without_colour(drawn))
            written += run(*args).stdout
        for piece in (CLEAR, COLOUR, TURNED):
            self.assertIn(piece, written)

    def test_a_word_without_end_is_cut_for_people_and_whole_for_programs(self):
        word = "y" * 1_000_000
        model = self.model("model", [word])
        file = Path(model).parent / "text"
        file.write_text(f"a {word} b Z{word}")
        args = ["--file", str(file), "--model", model]
        for more in (["--word", "#1"], ["--word", "b"], ["--pieces"], [], ["--word", "yyy"],
                     ["--word", "b", "--find", "#1"]):
            with self.subTest(more=more):
                done = run("look", *args, *more)
                self.assertLess(len(done.stdout) + len(done.stderr), 3000)
                self.assertLess(len(on_terminal(80, "look", *args, *more)), 20000)
        self.assertIn("…", run("look", *args, "--word", "#1").stdout)
        self.assertEqual(json_of("look", *args, "--word", "#1")["query"]["word"], word)
        self.assertIn(word, run("look", *args, "--word", "#1", "--csv").stdout)


if __name__ == "__main__":
    main()
