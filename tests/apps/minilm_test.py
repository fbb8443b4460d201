"""The spotlight of a real model, as a user asks for it and reads it."""

import json
import math
import os
import re
import struct
import tempfile
import xml.etree.ElementTree

from program import (SENTENCE, WIDE, ProgramTest, floats, json_of, main, on_terminal, read_safetensors, run,
                     without_colour)

KEYS = ["model", "mask", "layer", "head", "chosen_by", "text", "query", "row", "special", "special_percent", "entropy",
        "lse"]


def tenths(row):
    words = sum(round(share["percent"] * 10) for share in row["row"] if not share["blocked"])
    return words + round(row["special_percent"] * 10)


def percent_of(light, word):
    return next(share["percent"] for share in light["row"] if share["word"] == word)


class Look(ProgramTest):
    def test_json_keeps_its_keys(self):
        light = json_of("look", SENTENCE, "--word", "it")
        self.assertEqual(list(light), KEYS)
        self.assertEqual(light["query"], {"word": "it", "index": 7})
        self.assertEqual(list(light["row"][0]), ["word", "index", "weight", "percent", "blocked"])
        self.assertEqual([share["word"] for share in light["row"]],
                         ["The", "animal", "didn't", "cross", "the", "street", "because", "it", "was", "too", "tired",
                          "."])
        self.assertEqual((light["model"], light["mask"], light["text"]), ("minilm", "none", SENTENCE))
        self.assertEqual((light["layer"], light["head"], light["chosen_by"]), (5, 11, "default of minilm"))

    def test_known_shares(self):
        self.assertEqual(round(percent_of(json_of("look", SENTENCE, "--word", "it"), "animal")), 67)
        for text, animal, street in ((SENTENCE, 67.7, 5.0), (WIDE, 28.1, 12.1)):
            light = json_of("look", text, "--word", "it", "--layer", "3", "--head", "1")
            self.assertEqual((percent_of(light, "animal"), percent_of(light, "street")), (animal, street))
            self.assertEqual(light["chosen_by"], "as given")

    def test_percentages_add_to_exactly_100(self):
        for layer in ("0", "3", "5"):
            for mask in ("none", "causal"):
                grid = json_of("look", SENTENCE, "--layer", layer, "--head", "2", "--mask", mask)
                self.assertEqual(len(grid["grid"]), len(grid["words"]))
                for row in grid["grid"]:
                    self.assertEqual(tenths(row), 1000)
                    self.assertAlmostEqual(sum(s["weight"] for s in row["row"]) + row["special"], 1, places=5)

    def test_entropy_and_lse_are_of_the_token_row(self):
        light = json_of("look", SENTENCE, "--word", "it")
        self.assertGreater(light["entropy"], 0)
        self.assertLess(light["entropy"], math.log(20))
        self.assertTrue(math.isfinite(light["lse"]))
        self.assertIsNone(json_of("look", SENTENCE, "--word", "didn't")["lse"])

    def test_causal_blocks_later_words_and_never_calls_it_zero(self):
        light = json_of("look", SENTENCE, "--word", "it", "--mask", "causal")
        self.assertEqual(light["mask"], "causal")
        for share in light["row"]:
            later = share["index"] > 7
            self.assertEqual((share["blocked"], share["percent"] is None), (later, later))
            self.assertEqual(share.get("blocked_because"), "it comes later" if later else None)
        self.assertRegex(run("look", SENTENCE, "--word", "it", "--mask", "causal").stdout, r"tired +blocked\n")

    def test_the_last_word_cannot_be_seen_under_the_causal_mask(self):
        rows = [json_of("look", text, "--word", "it", "--mask", "causal", "--layer", "5", "--head", "11")["row"][:8]
                for text in (SENTENCE, WIDE)]
        self.assertEqual(rows[0], rows[1])

    def test_words_are_found_whatever_their_case_and_apostrophe(self):
        self.assertEqual(json_of("look", SENTENCE, "--word", "DIDN\u2019T")["query"], {"word": "didn't", "index": 2})
        light = json_of("look", "it saw it", "--word", "it:2")
        self.assertEqual(light["query"]["index"], 2)

    def test_find_and_half_given_heads_say_how_they_chose(self):
        found = json_of("look", SENTENCE, "--word", "it", "--find", "street")
        best = json_of("heads", SENTENCE, "--from", "it", "--to", "street")[0]
        self.assertEqual((found["layer"], found["head"]), (best["layer"], best["head"]))
        self.assertIn("street", found["chosen_by"])
        self.assertEqual(json_of("look", SENTENCE, "--word", "it", "--layer", "2")["layer"], 2)
        self.assertEqual(json_of("look", SENTENCE, "--word", "it", "--head", "2")["head"], 2)

    def test_pieces_sum_to_their_word(self):
        words = json_of("look", SENTENCE, "--word", "it")
        pieces = json_of("look", SENTENCE, "--word", "it", "--pieces")
        self.assertGreater(len(pieces["row"]), len(words["row"]))
        whole = next(s["weight"] for s in words["row"] if s["word"] == "didn't")
        self.assertAlmostEqual(sum(s["weight"] for s in pieces["row"][2:5]), whole, places=6)

    def test_text_from_a_file_and_from_standard_input(self):
        wanted = json_of("look", SENTENCE, "--word", "it")
        self.assertEqual(json_of("look", "-", "--word", "it", stdin=SENTENCE + "\n"), wanted)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(SENTENCE + "\n")
            file.flush()
            self.assertEqual(json_of("look", "--file", file.name, "--word", "it"), wanted)

    def test_words_the_model_does_not_know_are_told_as_they_are_read(self):
        cases = {"I eat \U0001f355 now": "note: minilm does not know \U0001f355: it reads it as [UNK]\n",
                 "I eat\U0001f355 now": "note: minilm does not know eat\U0001f355: it reads it as [UNK]\n"
                                      "note: minilm reads \U0001f355 together with eat\n",
                 "I eat pizza now": ""}
        for text, notes in cases.items():
            self.assertEqual(run("look", text, "--word", "I").stderr, notes)

    def test_csv_has_a_line_a_share(self):
        lines = run("look", 'a "b", c', "--word", "c", "--csv").stdout.splitlines()
        self.assertEqual(lines[0], "query,query_index,word,index,weight,percent,blocked")
        self.assertEqual(len(lines), 1 + 6 + 1)
        self.assertTrue(any('"""",1,' in line for line in lines))


class Drawing(ProgramTest):
    def test_a_pipe_gets_a_plain_table(self):
        text = run("look", SENTENCE, "--word", "it").stdout
        self.assertIn("minilm L5.H11, mask none, head: default of minilm\n", text)
        self.assertRegex(text, r"\n +1  animal +67\.\d  0\.67\d\d\n")
        self.assertRegex(text, r"\nit = 0\.67 animal \+ .* \[CLS\] \[SEP\]\n")
        self.assertTrue(all(ord(c) < 128 for c in text))
        shares = [float(x) for x in re.findall(r" (\d+\.\d)  0\.\d{4}\n", text)]
        self.assertEqual(round(sum(shares) * 10), 1000)

    def test_the_weighted_sum_adds_to_one(self):
        for word in ("it", "the:1", "didn't", "tired", "."):
            light = json_of("look", SENTENCE, "--word", word)
            weights = {share["word"]: share["weight"] for share in light["row"]} | {"[CLS] [SEP]": light["special"]}
            last = run("look", SENTENCE, "--word", word).stdout.splitlines()[-1]
            terms = dict(reversed(term.split(" ", 1)) for term in last.split(" = ")[1].split(" + "))
            self.assertGreater(len(terms), 2, last)
            weights["others"] = 1 - sum(weights[name] for name in terms if name != "others")
            self.assertEqual(sum(round(float(shown) * 100) for shown in terms.values()), 100, last)
            for name, shown in terms.items():
                self.assertLess(abs(float(shown) - weights[name]), 0.01, last)

    def test_a_word_has_one_percentage_and_the_others_what_is_left(self):
        text = " ".join(f"{SENTENCE} Number {i}." for i in range(12))
        for word in ("it:3", "tired:7", "street:11"):
            percents = {s["index"]: s["percent"] for s in json_of("look", text, "--word", word)["row"]}
            for top in ("1", "6", "20"):
                shown = run("look", text, "--word", word, "--top", top).stdout
                rows = re.findall(r"(?:^|\n) *(\d*)  .*? (\d+\.\d)  (\d\.\d{4})(?=\n)", shown)
                self.assertEqual(sum(round(float(percent) * 10) for _, percent, _ in rows), 1000)
                self.assertEqual(len(rows), int(top) + 2)
                for index, percent, weight in rows:
                    if index:
                        self.assertEqual(float(percent), percents[int(index)])
                    # Each word shown may have up to 0.1 of the others'.
                    most = 0.106 if index else 0.1 * (len(rows) - 1) + 0.006
                    self.assertLessEqual(abs(float(percent) - 100 * float(weight)), most, shown)

    def test_no_line_is_wider_than_the_terminal(self):
        wide = "動物は疲れた because it rains, and the dog is very tired today"
        for width in (40, 60, 80, 140):
            for args in ((SENTENCE, "--word", "it"), (SENTENCE,), (wide, "--word", "it"), (wide,),
                         (SENTENCE, "--word", "it", "--mask", "causal"),
                         (" ".join([SENTENCE] * 5), "--word", "tired:3")):
                text = without_colour(on_terminal(width, "look", *args))
                for line in text.splitlines():
                    if line.startswith("note: "):
                        continue  # one line, on standard error
                    columns = sum(2 if ord(c) > 0x2FFF else 1 for c in line)
                    self.assertLessEqual(columns, width, line)

    def test_arcs_stand_above_the_sentence_where_it_fits(self):
        text = without_colour(on_terminal(80, "look", SENTENCE, "--word", "it"))
        lines = text.splitlines()
        sentence = next(i for i, line in enumerate(lines) if "animal" in line)
        self.assertTrue(any("\u2801" <= c <= "\u28ff" for c in lines[sentence - 1]))
        self.assertIn("67.3", lines[sentence + 1])
        self.assertIn("\u2588", text)

    def test_colour_is_for_terminals_that_want_it(self):
        self.assertIn("\x1b[", on_terminal(80, "look", SENTENCE, "--word", "it"))
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b[", on_terminal(80, "look", SENTENCE, "--word", "it", env=env))

    def test_blocked_is_a_word_in_every_drawing(self):
        for width in (60, 80):
            self.assertIn("blocked", on_terminal(width, "look", SENTENCE, "--word", "it", "--mask", "causal"))
        grid = on_terminal(140, "look", SENTENCE, "--mask", "causal")
        self.assertIn("blocked", grid)
        self.assertEqual(without_colour(grid).count("×"), 12 * 11 // 2 + 1)

    def test_pages_and_pictures_are_whole_and_escaped(self):
        with tempfile.TemporaryDirectory() as folder:
            page, picture = os.path.join(folder, "a.html"), os.path.join(folder, "a.svg")
            text = "<script>alert('it & \"them\"')</script> it"
            for words in (("--word", "it:2"), ()):
                done = run("look", text, *words, "--html", page, "--svg", picture, "--mask", "causal")
                self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
                xml.etree.ElementTree.parse(picture)
                with open(page, encoding="utf-8") as file:
                    html = file.read()
                data = re.findall(r'<script type="application/json" id="limelight-data">(.*?)</script>', html, re.DOTALL)
                self.assertEqual(len(data), 1)
                self.assertNotIn("<", data[0])
                carried = json.loads(data[0])
                self.assertEqual(carried["look"]["text"], text)
                self.assertEqual(carried["pin"], 17 if words else None)
                self.assertEqual(carried["heads"]["layers"], 6)
                self.assertNotIn("alert('it", html.replace(data[0], ""))
                self.assertEqual(re.findall(r"<(?:script|img|link)[^>]* (?:src|href)=\"(?!data:)|@import", html), [])
            self.assertEqual(sorted(os.listdir(folder)), ["a.html", "a.svg"])


class BadInput(ProgramTest):
    def test_texts(self):
        self.refused(run("look", ""), 1, "text")
        self.refused(run("look", " \n "), 1, "text")
        for command in ("look", "embed"):
            self.refused(run(command, "-", stdin=b"good \xff bad"), 1, "text: expected UTF-8", "byte 5")
        self.refused(run("look", "--file", "/nonexistent"), 1, "/nonexistent")
        self.refused(run("embed", "a", ""), 1, "text 2 of 2")
        self.refused(run("embed", "-", stdin="\n \n"), 1, "no line")
        long = "word " * 600
        self.refused(run("embed", "a", long), 1, "text 2 of 2: ", "602")
        self.refused(run("embed", "-", stdin=f"a\n\n{long}\nb\n"), 1, "line 3: ", "602")
        self.assertIn("note: line 2: the text was cut", run("embed", "-", "--cut", stdin=f"a\n{long}\n").stderr)

    def test_words(self):
        self.refused(run("look", SENTENCE, "--word", "animl"), 1, "animl", "animal")
        self.refused(run("look", "it saw it", "--word", "it"), 1, "2 times", "it:1", "it:2")
        self.refused(run("look", "it saw it", "--word", "it:3"), 1, "it:1", "it:2")
        self.refused(run("look", SENTENCE, "--word", "\x1b[31m"), 1, "not in the text")
        self.refused(run("heads", SENTENCE, "--from", "it", "--to", "cat"), 1, "cat")
        self.refused(run("look", SENTENCE, "--word", "it", "--find", "tired", "--mask", "causal"), 1, "blocks")

    def test_layers_and_heads(self):
        self.refused(run("look", SENTENCE, "--layer", "6"), 1, "layer", "0 to 5", "6")
        self.refused(run("look", SENTENCE, "--head", "12"), 1, "head", "0 to 11", "12")

    def test_a_text_that_is_too_long_is_cut_only_on_request(self):
        long = "word " * 600 + "it"
        for command in (("look", long, "--word", "it"), ("embed", long), ("dump", long, "--out", "/dev/null")):
            self.refused(run(*command), 1, "512 tokens", "603", "--cut")
        done = run("embed", long, "--cut")
        self.assertEqual(done.returncode, 0)
        self.assertIn("510 of its 601 words", done.stderr)

    def test_a_picture_of_too_many_words_is_refused(self):
        self.refused(run("look", "word " * 129, "--svg", "/nonexistent/a"), 1, "128", "129", "--word")

    def test_files_that_cannot_be_written(self):
        for flag in ("--html", "--svg"):
            self.refused(run("look", SENTENCE, flag, "/nonexistent/a"), 1, "/nonexistent/a")
            self.refused(run("look", SENTENCE, flag, "/dev/full"), 1, "No space left")


class Others(ProgramTest):
    def test_heads_are_ranked(self):
        ranking = json_of("heads", SENTENCE, "--from", "it", "--to", "animal")
        self.assertEqual(len(ranking), 72)
        self.assertEqual(list(ranking[0]), ["layer", "head", "weight", "blocked"])
        self.assertFalse(any(r["blocked"] for r in ranking))
        self.assertEqual({(r["layer"], r["head"]) for r in ranking[:2]}, {(3, 1), (5, 11)})
        weights = [r["weight"] for r in ranking]
        self.assertEqual(weights, sorted(weights, reverse=True))
        self.assertEqual(json_of("heads", SENTENCE, "--from", "it", "--to", "animal", "--top", "5"), ranking[:5])

    def test_a_head_that_cannot_see_the_word_says_so(self):
        ranking = json_of("heads", SENTENCE, "--from", "it", "--to", "tired", "--mask", "causal")
        self.assertTrue(all(r["blocked"] and r["weight"] == 0 for r in ranking))
        table = run("heads", SENTENCE, "--from", "it", "--to", "tired", "--mask", "causal", "--top", "1").stdout
        self.assertRegex(table, r"L0.H0 +blocked *\n$")

    def test_tokens_count_characters(self):
        tokens = json_of("tokens", "été didn't")
        self.assertEqual([t["piece"] for t in tokens], ["[CLS]", "et", "##e", "didn", "'", "t", "[SEP]"])
        self.assertEqual([(t["start"], t["end"]) for t in tokens],
                         [(0, 0), (0, 2), (2, 3), (4, 8), (8, 9), (9, 10), (0, 0)])
        self.assertEqual([t["special"] for t in tokens], [True] + [False] * 5 + [True])
        self.assertEqual(len(json_of("tokens", "")), 2)

    def test_embeddings_have_length_one(self):
        vector = json_of("embed", "a cat sleeps")["embedding"]
        self.assertEqual(len(vector), 384)
        self.assertAlmostEqual(sum(x * x for x in vector), 1, places=5)
        for done in (run("embed", "a cat\nsleeps\t\x1b[2J", "b", "--similar").stdout,
                     without_colour(on_terminal(80, "embed", "a cat\nsleeps", "b", "--similar"))):
            self.assertRegex(done, r"\A *text .*\n1 a cat␊sleeps(␉␛\[2J)? .*\n2 b +.*\n\Z", "a text a line")
        several = json_of("embed", "-", "--similar", stdin="a cat sleeps\na kitten naps\r\nthe market fell\n")
        self.assertEqual(len(several["embeddings"]), 3)
        self.assertGreater(several["similar"][0][1], several["similar"][0][2])
        self.assertAlmostEqual(several["similar"][1][1], 1, places=5)
        self.assertLessEqual(max(map(max, several["similar"])), 1)
        spaced = json_of("embed", "-", "--similar", stdin="\na cat sleeps\n \r\na kitten naps\n\nthe market fell\n\n")
        self.assertEqual(spaced, several)

    def test_a_text_among_many_has_the_vector_it_has_alone(self):
        texts = [" ".join(["light", "goes", "where", "it", "may"][:1 + i % 5] * (1 + i * 7 % 40)) for i in range(150)]
        together = json_of("embed", "-", stdin="\n".join(texts))["embeddings"]
        self.assertEqual(len(together), len(texts))
        for i in (0, 1, 74, 149):
            self.assertEqual(together[i], json_of("embed", texts[i])["embedding"])

    def test_dump_holds_what_look_shows(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "a.safetensors")
            done = run("dump", SENTENCE, "--out", out)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, r" will hold [1-9]\d*\.\d KB: ")
            tensors = read_safetensors(out)
            ids = [t["id"] for t in json_of("tokens", SENTENCE)]
            count = len(ids)
            self.assertEqual(floats(tensors["ids"][2], "q"), ids)
            self.assertEqual(tensors["attention"][1], [6, 12, count, count])
            self.assertEqual(tensors["hidden"][1], [count, 384])
            pieces = json_of("look", SENTENCE, "--word", "it", "--pieces")
            at = ((5 * 12 + 11) * count + ids.index(2009)) * count * 4
            row = floats(tensors["attention"][2][at:at + count * 4])
            self.assertEqual(row[1:-1], [struct.unpack("f", struct.pack("f", s["weight"]))[0] for s in pieces["row"]])
            again = run("dump", "--ids", ",".join(map(str, ids)), "--out", out)
            self.assertEqual(again.returncode, 0)
            self.assertEqual(read_safetensors(out), tensors)
            self.refused(run("dump", "--ids", "1,30522", "--out", out), 1, "30521", "30522")
            self.assertEqual(os.listdir(folder), ["a.safetensors"])


if __name__ == "__main__":
    main(needs="minilm")
