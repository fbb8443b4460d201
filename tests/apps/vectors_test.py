"""The vectors of a head: with them a reader can form its weights again."""

import math
import os
import unittest

from program import SENTENCE, ProgramTest, json_of, main, model_file, run

VECTORS = ("--word", "it", "--vectors")


def softmax(scores):
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    return [power / sum(powers) for power in powers]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class VectorsTest(ProgramTest):
    def weights_follow(self, light, seen):
        """The row of pieces is the softmax of scale q.k over the first `seen` keys."""
        vectors = light["vectors"]
        query = vectors["queries"][0]
        weights = softmax([vectors["scale"] * dot(query["q"], key["k"]) for key in vectors["keys"][:seen]])
        special = len(vectors["keys"]) - len(light["row"])
        first = special // 2  # [CLS], and [SEP] at the end
        for share in light["row"]:
            at = share["index"] + first
            self.assertAlmostEqual(share["weight"], weights[at] if at < seen else 0, places=5)


class Vectors(VectorsTest):
    def test_softmax_of_their_products_is_the_row(self):
        light = json_of("look", SENTENCE, *VECTORS, "--pieces")
        vectors = light["vectors"]
        self.assertEqual(list(light)[-1], "vectors")
        self.assertEqual(list(vectors), ["scale", "queries", "keys"])
        self.assertEqual([list(token) for token in vectors["queries"]], [["token", "piece", "q"]])
        self.assertEqual(list(vectors["keys"][0]), ["token", "piece", "k", "v"])
        self.assertEqual([key["piece"] for key in vectors["keys"]],
                         [token["piece"] for token in json_of("tokens", SENTENCE)])
        self.assertEqual({len(key[name]) for key in vectors["keys"] for name in "kv"}, {32})
        self.assertEqual(vectors["queries"][0]["piece"], "it")
        self.weights_follow(light, len(vectors["keys"]))

    def test_they_are_of_the_head_shown(self):
        found = json_of("look", SENTENCE, *VECTORS, "--find", "street", "--pieces")
        self.weights_follow(found, len(found["vectors"]["keys"]))
        given = json_of("look", SENTENCE, *VECTORS, "--layer", str(found["layer"]), "--head", str(found["head"]))
        self.assertEqual(given["vectors"], found["vectors"])

    def test_a_word_of_several_pieces_has_a_query_each(self):
        queries = json_of("look", SENTENCE, "--word", "didn't", "--vectors")["vectors"]["queries"]
        self.assertEqual([(q["token"], q["piece"]) for q in queries], [(3, "didn"), (4, "'"), (5, "t")])

    def test_they_change_nothing_else(self):
        light = json_of("look", SENTENCE, *VECTORS)
        light.pop("vectors")
        self.assertEqual(light, json_of("look", SENTENCE, "--word", "it"))

    def test_they_need_one_word_one_head_and_json(self):
        self.refused(run("look", SENTENCE, *VECTORS), 2, "--vectors", "--json")
        self.refused(run("look", SENTENCE, "--vectors", "--json"), 2, "--vectors", "--word")
        self.refused(run("look", SENTENCE, *VECTORS, "--json", "--rollout"), 2, "--vectors", "--rollout")


@unittest.skipUnless(os.path.exists(model_file("smollm2")), "smollm2 is not here; bring it with: tools/get-model smollm2")
class OfADecoder(VectorsTest):
    def test_softmax_of_their_products_is_the_row(self):
        light = json_of("look", SENTENCE, *VECTORS, "--pieces", "--model", "smollm2")
        self.weights_follow(light, light["vectors"]["queries"][0]["token"] + 1)

    def test_rotation_turns_pairs_of_channels_and_the_first_token_not_at_all(self):
        vectors = json_of("look", SENTENCE, *VECTORS, "--model", "smollm2")["vectors"]
        self.assertEqual(list(vectors["queries"][0]), ["token", "piece", "q_before_rope", "q"])
        self.assertEqual(list(vectors["keys"][0]), ["token", "piece", "k_before_rope", "k", "v"])
        self.assertEqual(vectors["keys"][0]["k_before_rope"], vectors["keys"][0]["k"])
        for token, name in [(key, "k") for key in vectors["keys"][1:]] + [(vectors["queries"][0], "q")]:
            before, after = token[name + "_before_rope"], token[name]
            self.assertNotEqual(before, after)
            for c in range(32):
                self.assertAlmostEqual(math.hypot(before[c], before[c + 32]), math.hypot(after[c], after[c + 32]), places=4)


if __name__ == "__main__":
    main(needs="minilm")
