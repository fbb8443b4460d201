"""Attention rollout: a word's row through all layers, against the product of whole matrices."""

import os
import tempfile
import unittest

from program import SENTENCE, WIDE, ProgramTest, floats, json_of, main, model_file, on_terminal, read_safetensors, run

ROLLOUT = ("--word", "it", "--rollout")
HAVE_SMOLLM2 = os.path.exists(model_file("smollm2"))


def mixing(weights, heads, count):
    """(I + mean over heads) / 2 of one layer's weights [H, T, T], in double."""
    return [[0.5 * (i == j) + 0.5 * sum(weights[(h * count + i) * count + j] for h in range(heads)) / heads
             for j in range(count)] for i in range(count)]


def product(a, b):
    columns = list(zip(*b))
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def whole(args, layers):
    """W_layers ... W_1 of the weights that dump writes."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "a.safetensors")
        done = run("dump", *args, "--out", out)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        _, (_, heads, count, _), data = read_safetensors(out)["attention"]
    layer_bytes = 4 * heads * count * count
    result = None
    for layer in range(layers):
        w = mixing(floats(data[layer * layer_bytes:(layer + 1) * layer_bytes]), heads, count)
        result = w if result is None else product(w, result)
    return result


class RolloutTest(ProgramTest):
    def rows_are_of_the_product(self, model, layers, mask, first):
        """`first`: the number of the first piece among the tokens."""
        args = (SENTENCE, "--model", model, "--mask", mask)
        all_rows = whole(args, layers)
        pieces = [t["piece"] for t in json_of("tokens", SENTENCE, "--model", model)]
        at = next(i for i, piece in enumerate(pieces) if piece.strip("Ġ") == "it")
        light = json_of("look", *args, *ROLLOUT, "--pieces", "--layer", str(layers - 1))
        self.assertEqual((light["layer"], light["head"], light["chosen_by"]),
                         (layers - 1, None, "all, by attention rollout"))
        for share in light["row"]:
            self.assertAlmostEqual(share["weight"], all_rows[at][share["index"] + first], places=5)

    def percentages_add_to_100(self, light):
        shown = sum(round(s["percent"] * 10) for s in light["row"] if s["percent"] is not None)
        self.assertEqual(shown + round(light["special_percent"] * 10), 1000)

    def later_words_are_blocked(self, light):
        for share in light["row"]:
            later = share["index"] > light["query"]["index"]
            self.assertEqual((share["blocked"], share["percent"] is None), (later, later))
            if later:
                self.assertEqual(share["weight"], 0)


class Rollout(RolloutTest):
    def test_a_row_is_that_of_the_product_of_all_layers(self):
        for layers, mask in ((6, "none"), (6, "causal"), (1, "none"), (3, "none")):
            self.rows_are_of_the_product("minilm", layers, mask, 1)

    def test_all_layers_unless_one_is_given(self):
        self.assertEqual(json_of("look", SENTENCE, *ROLLOUT), json_of("look", SENTENCE, *ROLLOUT, "--layer", "5"))

    def test_a_word_of_several_pieces_has_the_mean_of_their_rows(self):
        rows = whole((SENTENCE,), 6)
        light = json_of("look", SENTENCE, "--word", "didn't", "--rollout", "--pieces")
        for share in light["row"]:
            self.assertAlmostEqual(share["weight"], sum(rows[at][share["index"] + 1] for at in (3, 4, 5)) / 3, places=5)

    def test_percentages_add_to_100(self):
        for args in ((), ("--without-first",), ("--mask", "causal"), ("--pieces",), ("--layer", "0")):
            self.percentages_add_to_100(json_of("look", SENTENCE, *ROLLOUT, *args))

    def test_later_words_are_blocked_under_the_causal_mask(self):
        self.later_words_are_blocked(json_of("look", SENTENCE, *ROLLOUT, "--mask", "causal"))

    def test_every_form_says_what_it_shows(self):
        heading = "minilm layers 0 to 5, mask none, head: all, by attention rollout"
        self.assertIn(heading + "\n", run("look", SENTENCE, *ROLLOUT).stdout)
        self.assertIn(heading, on_terminal(80, "look", SENTENCE, *ROLLOUT))
        self.assertEqual(len(run("look", SENTENCE, *ROLLOUT, "--csv").stdout.splitlines()), 1 + 12 + 1)
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "a.svg")
            self.assertEqual(run("look", SENTENCE, *ROLLOUT, "--svg", picture).returncode, 0)
            with open(picture, encoding="utf-8") as file:
                self.assertIn(heading, file.read())

    def test_what_it_cannot_be_combined_with_is_refused(self):
        self.refused(run("look", SENTENCE, "--rollout"), 2, "--rollout", "--word")
        for other in (("--head", "1"), ("--find", "animal"), ("--html", "/dev/null")):
            self.refused(run("look", SENTENCE, *ROLLOUT, *other), 2, "--rollout", other[0])
        self.refused(run("look", SENTENCE, *ROLLOUT, "--layer", "6"), 1, "layer", "0 to 5", "6")


@unittest.skipUnless(HAVE_SMOLLM2, "smollm2 is not here; bring it with: tools/get-model smollm2")
class OfADecoder(RolloutTest):
    def test_a_row_is_that_of_the_product_of_all_layers(self):
        self.rows_are_of_the_product("smollm2", 30, "model", 0)
        self.rows_are_of_the_product("smollm2", 2, "none", 0)

    def test_later_words_are_blocked(self):
        for layer in ((), ("--layer", "3")):
            light = json_of("look", SENTENCE, *ROLLOUT, *layer, "--model", "smollm2")
            self.later_words_are_blocked(light)
            self.percentages_add_to_100(light)

    def test_without_the_first_token_even_a_trace_adds_to_100(self):
        light = json_of("look", SENTENCE, *ROLLOUT, "--without-first", "--model", "smollm2")
        self.assertGreater(light["first_token"]["weight"], 0.999)
        self.assertAlmostEqual(sum(share["weight"] for share in light["row"]), 1, places=6)
        self.percentages_add_to_100(light)

    def test_the_row_is_the_same_to_the_bit_whatever_comes_later(self):
        tired, wide = (json_of("look", text, *ROLLOUT, "--model", "smollm2")["row"][:8] for text in (SENTENCE, WIDE))
        self.assertEqual(tired, wide)


if __name__ == "__main__":
    main(needs="minilm")
