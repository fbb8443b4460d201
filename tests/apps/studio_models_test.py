"""The studio's numbers on real models: those of the program, as fast as a page needs them."""

import base64
import json
import math
import os
import time

from program import SENTENCE, WIDE, ProgramTest, floats, json_of, main, model_file, run
from server import SOON, Server

EXTRA = {"gaps", "special_name", "sum", "tokens", "temperature", "notes"}
HERE = [name for name in ("minilm", "smollm2") if os.path.exists(model_file(name))]


def f32(text):
    return floats(base64.b64decode(text))


class Models(ProgramTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def test_numbers_are_those_of_look_json(self):
        for model in HERE:
            for text, asked, args in (
                    (SENTENCE, {"word": "it"}, ("--word", "it")),
                    (WIDE, {"word": 7, "layer": 3, "head": 1}, ("--word", "it", "--layer", "3", "--head", "1")),
                    (SENTENCE, {"word": "it", "find": "animal"}, ("--word", "it", "--find", "animal")),
                    (SENTENCE, {"word": "it", "mask": "causal", "pieces": True}, ("--word", "it", "--mask", "causal", "--pieces")),
                    (SENTENCE, {"word": "it", "without_first": True}, ("--word", "it", "--without-first")),
                    (SENTENCE, {}, ())):
                printed = json_of("look", text, "--model", model, *args)
                answer = self.server.ask("look", text=text, model=model, **asked)
                self.assertEqual(set(answer) - set(printed), EXTRA)
                self.assertEqual({key: answer[key] for key in printed}, printed)

    def test_heads_are_ranked_as_the_program_ranks_them(self):
        for model in HERE:
            answer = self.server.ask("heads", text=SENTENCE, model=model, **{"from": "it", "to": "animal"})
            self.assertEqual(answer["heads"],
                             json_of("heads", SENTENCE, "--model", model, "--from", "it", "--to", "animal"))

    def test_grids_recipes_and_tiles_hold_the_same_row(self):
        for model in HERE:
            look = self.server.ask("look", text=SENTENCE, model=model, word="it", pieces=True)
            head = {"layer": look["layer"], "head": look["head"]}
            grid = self.server.ask("grid", text=SENTENCE, model=model, unit="tokens", **head)
            recipe = self.server.ask("recipe", text=SENTENCE, model=model, **head)
            tiles = self.server.ask("tiles", text=SENTENCE, model=model, word="it", **head)
            query, size = tiles["query"]["token"], grid["tokens"]
            row = f32(grid["weights"])[query * size:(query + 1) * size]
            traced = [weight for step in tiles["trace"] for weight in step["weights"]]
            for cell, step, tile in zip(row, recipe["steps"]["weights"][query], traced, strict=True):
                self.assertEqual(math.isnan(cell), step is None)
                self.assertEqual(math.isnan(cell), tile is None)
                if step is not None:
                    self.assertAlmostEqual(cell, step, places=6)
                    self.assertAlmostEqual(cell, tile, places=6)
            self.assertLess(recipe["steps"]["difference"], 1e-5)
            self.assertLess(tiles["difference"], 1e-5)

    def test_exports_are_the_programs_files(self):
        for form in ("json", "csv"):
            content = self.server.ask("export", text=SENTENCE, word="it", model=HERE[0], format=form)["content"]
            printed = run("look", SENTENCE, "--model", HERE[0], "--word", "it", f"--{form}").stdout
            self.assertEqual(content, printed)
        self.assertEqual(self.server.ask("export", text="a / b", word="/", model=HERE[0], layer=0, head=0,
                                         format="svg")["name"], "limelight-word-L0H0.svg")

    def test_typing_is_followed(self):
        words = SENTENCE.split()
        self.server.ask("look", text=SENTENCE, word="it", model=HERE[0])
        took = []
        for count in range(2, len(words)):
            start = time.monotonic()
            self.server.ask("look", text=" ".join(words[:count]), word=0, model=HERE[0])
            took.append(time.monotonic() - start)
        self.assertLess(sorted(took)[len(took) // 2], 0.06 * 2 * SOON)

    def test_a_long_text_is_pooled_and_its_rows_come_from_memory(self):
        if "smollm2" not in HERE:
            self.skipTest("smollm2 is not here")
        text = "The animal slept because it was tired and the street was wide. " * 70
        answer = self.server.ask("map", text=text, model="smollm2", side=64)
        self.assertGreater(answer["tokens"], 900)
        total = sum(f32(answer["received"])) + answer["special_received"]
        self.assertAlmostEqual(total / answer["tokens"], 1, places=4)
        blocked = [math.isnan(cell) for cell in f32(answer["mean"])]
        self.assertEqual(sum(blocked), 64 * 63 // 2)
        start = time.monotonic()
        row = self.server.ask("look", text=text, model="smollm2", word=len(answer["words"]) - 1)
        self.assertLess(time.monotonic() - start, 2 * SOON)
        self.assertEqual(len(row["row"]), len(answer["words"]))

    def test_leaving_stops_a_model(self):
        if "smollm2" not in HERE:
            self.skipTest("smollm2 is not here")
        self.server.ask("look", text="a", model="smollm2")
        text = "Another animal slept because it was tired and the street was wide. " * 300
        for call in ("map", "thumbnails"):
            connection = self.server.stream(call, {"text": text, "model": "smollm2"})
            time.sleep(1)
            connection.close()
            took = self.server.rests(within=10)
            self.assertIsNotNone(took, call)
            self.assertLess(took, SOON, call)

    def test_generation_streams_each_token_with_its_row(self):
        if "smollm2" not in HERE:
            self.skipTest("smollm2 is not here")
        asked = {"text": "The animal slept because", "max_tokens": 6}
        events = self.server.events("generate", asked)
        parts = [data for name, data in events if name == "part"]
        result = events[-1][1]
        self.assertEqual(events[-1][0], "result")
        self.assertEqual(result["tokens"], parts)
        printed = json_of("generate", asked["text"], "--max-tokens", "6", "--greedy", "--watch", "L13.H8")
        self.assertEqual(result["text"], printed["text"])
        for part, watched in zip(parts, printed["watch"], strict=True):
            self.assertEqual((part["token"], part["top"], part["first_token"]),
                             (watched["token"], watched["words"], watched["first_token"]))

    def test_a_head_is_chosen_for_short_texts_alone(self):
        if "smollm2" not in HERE:
            self.skipTest("smollm2 is not here")
        short, long = "The animal slept because", "The animal slept because it was tired. " * 80
        found = self.server.ask("generate", text=short, layer=3, max_tokens=1)
        self.assertEqual((found["layer"], "within layer 3" in found["chosen_by"]), (3, True))
        for call in ("generate", "map"):
            status, answer = self.server.post(call, {"text": long, "layer": 3, "model": "smollm2"})
            self.assertEqual((status, answer["error"]["field"]), (400, "layer"), call)


if __name__ == "__main__":
    main(needs="minilm")
