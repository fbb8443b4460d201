"""A decoder, as a user asks it to look and to write."""

import json
import os
import signal
import subprocess
import tempfile
import time

from program import (PROGRAM, SENTENCE, WIDE, ProgramTest, floats, json_of, main, model_file, on_terminal,
                     read_safetensors, run, without_colour)

MODEL = ("--model", "smollm2")
STORY = "Once upon a time, there was a small robot who"
STORY_IDS = [6403, 1980, 253, 655, 28, 665, 436, 253, 1165, 8085, 617]
GREEDY_IDS = [761, 253, 1767, 2470, 288, 5865, 351, 550, 11104, 30, 669, 8085, 436, 1217, 476, 53, 7463, 18, 284, 1041,
              761, 253, 970, 288]
GREEDY_TEXT = (" had a special ability to communicate with other robots. This robot was called \"Echo\" and she had a "
               "way to")
GREEDY = ("generate", STORY, "--greedy", "--max-tokens", "24")


def look(*args):
    return json_of("look", *args, *MODEL)


def share(light, word):
    return next(s for s in light["row"] if s["word"] == word)


def wait_until_noted(process, number):
    """Until the process has a handler of its own for this signal."""
    for _ in range(1000):
        with open(f"/proc/{process}/status", encoding="ascii") as status:
            caught = next(line.split()[1] for line in status if line.startswith("SigCgt"))
        if int(caught, 16) >> (number - 1) & 1:
            return
        time.sleep(0.05)
    raise AssertionError("the signal is not handled")


class Look(ProgramTest):
    def test_the_pronoun_finds_its_noun_and_cannot_see_the_last_word(self):
        for find in ((), ("--find", "animal")):
            light = look(SENTENCE, "--word", "it", *find)
            self.assertEqual((light["model"], light["mask"], light["layer"], light["head"]), ("smollm2", "causal", 13, 8))
            self.assertEqual(round(share(light, "animal")["percent"]), 75)
            self.assertEqual((share(light, "tired")["blocked"], share(light, "tired")["percent"]), (True, None))
        self.assertRegex(run("look", SENTENCE, "--word", "it", *MODEL).stdout, r"tired +blocked\n")

    def test_the_row_is_the_same_to_the_bit_whatever_comes_later(self):
        tired, wide = (look(text, "--word", "it") for text in (SENTENCE, WIDE))
        self.assertEqual(tired["row"][:8], wide["row"][:8])
        self.assertEqual(tired["lse"], wide["lse"])

    def test_percentages_add_to_100_and_there_are_no_special_tokens(self):
        for args in ((), ("--without-first",), ("--mask", "none"), ("--pieces",)):
            light = look(SENTENCE, "--word", "it", *args)
            shown = sum(round(s["percent"] * 10) for s in light["row"] if s["percent"] is not None)
            self.assertEqual(shown + round(light["special_percent"] * 10), 1000)
            self.assertEqual(light["special"], 0)

    def test_the_first_token_is_told_apart_and_can_be_left_out(self):
        whole, rest = look(SENTENCE, "--word", "it"), look(SENTENCE, "--word", "it", "--without-first")
        self.assertEqual(whole["first_token"]["word"], "The")
        self.assertAlmostEqual(whole["first_token"]["weight"], share(whole, "The")["weight"], places=6)
        self.assertEqual(rest["first_token"], whole["first_token"])
        self.assertTrue(rest["without_first"])
        self.assertEqual((share(rest, "The")["left_out"], share(rest, "The")["percent"]), (True, None))
        left = 1 - whole["first_token"]["weight"]
        self.assertAlmostEqual(share(rest, "animal")["weight"], share(whole, "animal")["weight"] / left, places=6)
        text = run("look", SENTENCE, "--word", "it", *MODEL, "--without-first").stdout
        self.assertRegex(text, r'The +left out\n')
        self.assertRegex(text, r'first token \("The"\): \d+\.\d % of the light, left out; the others add to 100\n')

    def test_the_whole_decoder_runs_without_its_mask(self):
        light = look(SENTENCE, "--word", "it", "--mask", "none")
        self.assertEqual(light["mask"], "none")
        self.assertFalse(any(s["blocked"] for s in light["row"]))
        self.assertNotEqual(look(WIDE, "--word", "it", "--mask", "none")["row"][:8], light["row"][:8])

    def test_a_path_serves_as_well_as_a_name(self):
        file = model_file("smollm2")
        for path in (file, os.path.dirname(file)):
            light = json_of("look", SENTENCE, "--word", "it", "--layer", "13", "--head", "8", "--model", path)
            self.assertEqual(light["row"], look(SENTENCE, "--word", "it")["row"])

    def test_a_later_word_cannot_be_found(self):
        self.refused(run("look", SENTENCE, "--word", "it", "--find", "tired", *MODEL), 1, "blocks", "--mask none")
        self.assertIn("blocked", run("heads", SENTENCE, "--from", "it", "--to", "tired", *MODEL).stdout)

    def test_a_long_text_is_looked_at_exactly(self):
        chapter = " ".join(f"{SENTENCE} Number {i} saw the robot." for i in range(60))
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(chapter)
            file.flush()
            light = look("--file", file.name, "--word", "it:60", "--find", "animal:60")
            text = on_terminal(80, "look", "--file", file.name, "--word", "it:60", *MODEL)
        self.assertAlmostEqual(sum(s["weight"] for s in light["row"]) + light["special"], 1, places=4)
        self.assertRegex(without_colour(text), r"words \d+ to \d+ of 1080")
        self.refused(run("look", chapter, *MODEL), 1, "1024", "1080", "--word")
        self.refused(run("look", "word " * 9000, "--word", "word:1", *MODEL), 1, "8192", "--cut")

    def test_special_tokens_of_the_text_are_no_words(self):
        light = look("<|im_start|>user\nhi you<|im_end|>", "--word", "you")
        self.assertEqual([s["word"] for s in light["row"]], ["user", "hi", "you"])
        self.assertGreater(light["special"], 0)
        self.assertNotIn("first_token", light)

    def test_nothing_special_is_drawn_where_nothing_is(self):
        for width in (60, 80, 140):
            for args in (("--word", "it"), (), ("--word", "it", "--without-first"), ("--without-first",)):
                text = without_colour(on_terminal(width, "look", SENTENCE, *args, *MODEL))
                self.assertNotRegex(text, r"\brest\b|\+ 0\.\d\d \(space\)")
                self.assertLessEqual(max(map(len, text.splitlines())), width)


class Others(ProgramTest):
    def test_tokens_have_no_template(self):
        tokens = json_of("tokens", SENTENCE, *MODEL)
        self.assertEqual([t["id"] for t in tokens],
                         [504, 3161, 3683, 982, 3050, 260, 7280, 975, 357, 436, 1147, 12364, 30])
        self.assertFalse(any(t["special"] for t in tokens))

    def test_heads_are_ranked_over_all_layers(self):
        ranking = json_of("heads", SENTENCE, "--from", "it", "--to", "animal", *MODEL)
        self.assertEqual(len(ranking), 30 * 9)
        self.assertEqual((ranking[0]["layer"], ranking[0]["head"]), (13, 8))

    def test_dump_holds_what_look_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "a.safetensors")
            self.assertEqual(run("dump", SENTENCE, "--out", out, *MODEL).returncode, 0)
            tensors = read_safetensors(out)
        self.assertEqual(tensors["attention"][1], [30, 9, 13, 13])
        self.assertEqual(tensors["logits"][1], [13, 49152])
        at = ((13 * 9 + 8) * 13 + 8) * 13 * 4
        row = floats(tensors["attention"][2][at:at + 13 * 4])
        pieces = look(SENTENCE, "--word", "it", "--pieces")
        for found, shown in zip(row, pieces["row"]):
            self.assertAlmostEqual(found, shown["weight"], places=7)

    def test_kinds_of_models_are_told_apart(self):
        self.refused(run("embed", "a", *MODEL), 1, "smollm2", "encoder")


class Generate(ProgramTest):
    def test_json_keeps_its_keys_and_greedy_its_ids(self):
        result = json_of(*GREEDY)
        self.assertEqual(list(result), ["prompt_ids", "ids", "text", "seconds", "tokens_per_second"])
        self.assertEqual((result["prompt_ids"], result["ids"], result["text"]), (STORY_IDS, GREEDY_IDS, GREEDY_TEXT))
        self.assertGreater(result["tokens_per_second"], 0)
        self.assertGreater(result["seconds"], 0)

    def test_a_pipe_gets_the_new_text_alone(self):
        done = run(*GREEDY)
        self.assertEqual((done.returncode, done.stdout), (0, GREEDY_TEXT + "\n"))
        self.assertRegex(done.stderr, r"^note: 24 tokens, \d+\.\d a second; 11 of the prompt in .* by --max-tokens\n$")

    def test_a_terminal_shows_the_prompt_too(self):
        self.assertIn(STORY + GREEDY_TEXT, without_colour(on_terminal(200, *GREEDY)))

    def test_a_seed_is_a_text(self):
        def ids(*args):
            return json_of("generate", STORY, "--max-tokens", "12", "--temperature", "1.5", *args)["ids"]
        self.assertEqual(ids("--seed", "7"), ids("--seed", "7"))
        self.assertNotEqual(ids("--seed", "7"), ids("--seed", "8"))
        self.assertEqual(ids("--top-k", "1"), GREEDY_IDS[:12])

    def test_stop_texts_end_across_tokens(self):
        result = json_of(*GREEDY, "--stop", "nowhere", "--stop", "with oth")
        self.assertEqual(result["text"], " had a special ability to communicate ")
        self.assertEqual(run(*GREEDY, "--stop", "with oth").stdout, result["text"] + "\n")

    def test_a_message_is_answered(self):
        result = json_of("generate", "What is the capital of France?", "--chat", "--greedy", "--max-tokens", "30")
        self.assertEqual(result["prompt_ids"][:2], [1, 9690])
        self.assertIn("Paris", result["text"])
        self.assertNotIn("<|im_end|>", result["text"])

    def test_a_watched_head_shows_what_look_shows(self):
        result = json_of(*GREEDY, "--watch", "L13.H8")
        self.assertEqual(result["ids"], GREEDY_IDS)
        self.assertEqual([w["token"] for w in result["watch"]][:3], [" had", " a", " special"])
        self.assertEqual("".join(w["token"] for w in result["watch"]), GREEDY_TEXT)
        at = next(i for i, w in enumerate(result["watch"]) if w["token"] == " she")
        light = look(STORY + "".join(w["token"] for w in result["watch"][:at + 1]), "--word", "she")
        for word in result["watch"][at]["words"]:
            self.assertAlmostEqual(word["weight"], light["row"][word["index"]]["weight"], places=5)
            self.assertEqual(word["word"], light["row"][word["index"]]["word"])
        self.assertAlmostEqual(result["watch"][at]["first_token"], light["first_token"]["weight"], places=5)

    def test_a_watched_token_takes_one_line_of_the_terminal(self):
        for width in (60, 80, 140):
            lines = without_colour(on_terminal(width, *GREEDY, "--watch", "L13.H8")).splitlines()
            self.assertLessEqual(max(len(line) for line in lines[:24]), width)
            self.assertTrue(all("first token" in line for line in lines[:24]))

    def test_what_cannot_be_is_refused(self):
        self.refused(run("generate", ""), 1, "text")
        self.refused(run("generate", "-", stdin="word " * 100000), 1, "8191", "100001")
        self.refused(run("generate", "-", stdin=b"\xff"), 1, "byte 0")
        self.refused(run("generate", "a", "--watch", "L30.H0"), 1, "0 to 29", "30")
        self.refused(run("generate", "a", "--model", "minilm"), 1, "minilm")

    def test_a_picture_that_is_refused_leaves_no_page(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "seen.html")
            done = run("look", "a " * 1100, "--word", "#3", "--layer", "0", "--head", "0", *MODEL, "--html", page,
                       "--svg", os.path.join(folder, "seen.svg"))
            self.refused(done, 1, "1024 words")
            self.assertEqual(os.listdir(folder), [])

    def test_a_full_context_is_an_end(self):
        done = run("generate", "-", "--greedy", stdin="word " * 8187)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("context is full", done.stderr)

    def test_ctrl_c_ends_with_what_there_is(self):
        for args in ((), ("--json",)):
            process = subprocess.Popen([PROGRAM, "generate", STORY, "--max-tokens", "5000", *args],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if args:
                wait_until_noted(process.pid, signal.SIGINT)
            else:
                process.stdout.read(1)
            process.send_signal(signal.SIGINT)
            out, notes = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, notes)
            self.assertIn(b"ended by Ctrl-C", notes)
            if args:
                self.assertEqual(json.loads(out)["prompt_ids"], STORY_IDS)


if __name__ == "__main__":
    main(needs="smollm2")
