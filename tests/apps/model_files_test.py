"""What the files of a model may be, and what is said of those that are not; with a tiny model that has no tokenizer."""

import json
import os
import shutil
import tempfile
from pathlib import Path

from program import ProgramTest, main, read_safetensors, run, write_safetensors

TINY = Path(__file__).parents[1] / "golden" / "tiny"


class ModelFiles(ProgramTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "model"
        shutil.copytree(TINY / "llama", self.folder)
        self.out = Path(folder.name) / "out.safetensors"

    def dump(self, model):
        return run("dump", "--ids", "1,2,3", "--model", str(model), "--out", str(self.out))

    def test_an_architecture_that_is_not_known_names_all_that_are(self):
        config = json.loads((self.folder / "config.json").read_text())
        (self.folder / "config.json").write_text(json.dumps({**config, "model_type": "qwen3"}))
        names = ["bert", "distilbert", "roberta", "a decoder", "gpt2", "llama", "qwen2", "mistral", "found \"qwen3\""]
        self.refused(self.dump(self.folder), 1, "config.json: model_type", *names)
        self.refused(run("generate", "a", "--model", str(self.folder)), 1, "model_type", *names)

    def test_a_file_of_weights_is_told_to_be_one(self):
        weights = self.folder / "model.safetensors"
        self.refused(self.dump(weights), 1, str(weights), "found a safetensors file; name its folder")

    def test_tensors_that_are_not_used_are_noted_but_for_known_ones(self):
        tensors = read_safetensors(self.folder / "model.safetensors")
        one = ("F32", [1], bytes(4))
        known = {"model.layers.0.self_attn.rotary_emb.inv_freq": one, "embeddings.position_ids": one}
        write_safetensors(self.folder / "model.safetensors", {**tensors, **known})
        self.assertNotIn("does without", self.dump(self.folder).stderr)
        extra = {"model.layers.0.self_attn.q_proj.bias": one, "model.layers.7.mlp.up_proj.weight": one}
        write_safetensors(self.folder / "model.safetensors", {**tensors, **known, **extra})
        done = self.dump(self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: model: its files hold 2 tensors that the model does without, as model.layers.0.self_attn."
                      "q_proj.bias\n", done.stderr)

    def test_the_models_folder_is_absolute_whatever_the_environment(self):
        bare = {"HOME": "", "XDG_DATA_HOME": "", "LIMELIGHT_MODELS": ""}
        done = run("models", env=bare)
        place = done.stdout.split("kept in ")[1].split(";")[0]
        self.assertTrue(os.path.isabs(place), place)


if __name__ == "__main__":
    main()
