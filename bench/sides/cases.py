"""What bench/peers measures: the cases, their inputs, and what counts as the same result."""

import os
from pathlib import Path
from typing import NamedTuple

# Inputs that are read once a call rotate through copies of this many bytes in all, so that no cache holds them.
COLD_BYTES = 1 << 30

STORAGE_BYTES = {"f32": 4, "f16": 2, "bf16": 2}

# Largest difference from the double reference, as a share of its largest value.
TOLERANCE = {"f32": 2e-5, "f16": 4e-3, "bf16": 3e-2}


class Case(NamedTuple):
    work: str  # forward, training (forward and backward) or decode
    storage: str  # f32, f16 or bf16
    causal: str  # none or causal; queries and keys are as many then
    heads: int
    groups: int  # key/value heads
    queries: int
    keys: int
    depth: int

    @property
    def name(self):
        heads = f"H{self.heads}" if self.heads == self.groups else f"H{self.heads}/G{self.groups}"
        tokens = f"T{self.keys}" if self.queries == self.keys else f"N{self.keys}"
        storage = "" if self.storage == "f32" else f" {self.storage}"
        causal = " causal" if self.causal == "causal" else ""
        return f"{self.work} {heads} {tokens} D{self.depth}{storage}{causal}"

    @property
    def sizes(self):
        """Of each input, by name."""
        rows, keys = (1, self.heads, self.queries, self.depth), (1, self.groups, self.keys, self.depth)
        return {"q": rows, "k": keys, "v": keys} | ({"dout": rows} if self.work == "training" else {})

    @property
    def results(self):
        return ("out", "dq", "dk", "dv") if self.work == "training" else ("out",)

    @property
    def bound(self):
        return "bandwidth" if self.work == "decode" else "peak"

    @property
    def key_bytes(self):
        return 2 * self.groups * self.keys * self.depth * STORAGE_BYTES[self.storage]

    @property
    def copies(self):
        return max(2, -(-COLD_BYTES // self.key_bytes)) if self.work == "decode" else 1

    @property
    def units(self):
        """What the share counts: flop of live pairs, or for decode the bytes of keys and values."""
        if self.work == "decode":
            return self.key_bytes
        pairs = self.queries * self.keys if self.causal == "none" else self.queries * (self.queries + 1) / 2
        return (14 if self.work == "training" else 4) * self.heads * pairs * self.depth

    def line(self, threads, folder):
        return " ".join(map(str, ("case", *self, self.copies, threads, folder)))


class Model(NamedTuple):
    """A model's sizes, and where `limelight models` looks for it."""
    file: str  # what Limelight loads, in the model's folder; a folder where it is empty
    layers: int
    hidden: int
    heads: int
    groups: int
    intermediate: int
    matrices: int  # of the feed-forward part
    vocabulary: int
    depth: int

    @property
    def linear(self):
        """Multiply-adds a token in the layers."""
        attention = 2 * self.hidden * (self.heads + self.groups) * self.depth
        return self.layers * (attention + self.matrices * self.hidden * self.intermediate)


MODELS = {"minilm": Model("", 6, 384, 12, 12, 1536, 2, 0, 32),
          "smollm2": Model("SmolLM2-135M-Instruct.Q4_1.gguf", 30, 576, 9, 3, 1536, 3, 49152, 64)}


def model_path(name):
    given = os.environ.get("LIMELIGHT_MODELS")
    data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return (Path(given) if given else data / "limelight" / "models") / name / MODELS[name].file


class ModelCase(NamedTuple):
    work: str  # encode (texts of the same length), prefill (one prompt) or generate (one token after it)
    model: str
    texts: int
    tokens: int  # of a text

    storage = "f32"  # of what comes out
    sizes = {}

    @property
    def name(self):
        texts = f"{self.texts} x " if self.texts > 1 else ""
        return f"{self.work} {self.model} {texts}T{self.tokens}"

    @property
    def results(self):
        return ("hidden",) if self.work == "encode" else ()  # llama.cpp rounds activations to 8 bits: nothing to compare

    @property
    def bound(self):
        return "bandwidth" if self.work == "generate" else "peak"

    @property
    def ids(self):
        return [1000 + 7 * n % 20000 for n in range(self.texts * self.tokens)]

    @property
    def units(self):
        """Flop, the logits of one token among them; for generate the bytes of weights, keys and values."""
        model, pairs = MODELS[self.model], self.tokens**2
        if self.work == "generate":
            cache = 2 * 4 * model.layers * model.groups * model.depth * self.tokens
            return model_path(self.model).stat().st_size + cache
        if self.work == "prefill":
            pairs = self.tokens * (self.tokens + 1) / 2
        attention = 4 * model.layers * model.heads * model.depth * pairs
        return self.texts * (2 * self.tokens * model.linear + attention) + 2 * model.hidden * model.vocabulary

    def line(self, threads, folder):
        return " ".join(map(str, ("model", self.work, self.texts, self.tokens, threads, folder)))


def model_of_line(words):
    """Work, texts, tokens, threads and folder that ModelCase.line() wrote."""
    return words[0], *map(int, words[1:4]), " ".join(words[4:])


def of_line(words):
    """The case, copies, threads and folder that line() wrote."""
    work, storage, causal, *numbers = words[:8]
    return Case(work, storage, causal, *map(int, numbers)), int(words[8]), int(words[9]), " ".join(words[10:])


def square(work, heads, tokens, depth, storage="f32", masks=("none", "causal")):
    return [Case(work, storage, causal, heads, heads, tokens, tokens, depth) for causal in masks]


def decode(heads, groups, keys, depth):
    return [Case("decode", "f32", "none", heads, groups, 1, keys, depth)]


class Group(NamedTuple):
    title: str
    limit: str  # what its shares are of
    peers: tuple
    cases: list


ATTENTION = ("PyTorch", "ONNX Runtime", "OpenVINO")
GROUPS = (
    Group("Forward, f32", "multiply-add peak", ATTENTION,
          square("forward", 8, 128, 64) + square("forward", 8, 512, 64) + square("forward", 8, 1024, 64)
          + square("forward", 4, 4096, 64) + square("forward", 1, 16384, 64, masks=("causal",))
          + square("forward", 8, 1024, 128)),
    Group("Forward and backward, f32", "multiply-add peak", ATTENTION,
          [case for depth in (64, 128) for heads, tokens in ((8, 512), (8, 1024), (1, 4096))
           for case in square("training", heads, tokens, depth)]),
    Group("Decode: one query, f32, keys and values beyond the caches", "read bandwidth", ATTENTION,
          decode(32, 32, 4096, 128) + decode(32, 8, 8192, 128) + decode(9, 3, 32768, 64)),
    Group("Forward, 16-bit storage", "f32 multiply-add peak", ATTENTION,
          [case for storage in ("bf16", "f16") for heads, tokens, depth in ((8, 1024, 64), (4, 4096, 64), (8, 1024, 128))
           for case in square("forward", heads, tokens, depth, storage)]),
    Group("MiniLM, the whole encoder, f32", "multiply-add peak", ("PyTorch", "OpenVINO"),
          [ModelCase("encode", "minilm", texts, tokens) for texts, tokens in ((1, 16), (1, 128), (1, 512), (8, 128))]),
    Group("SmolLM2-135M, Q4_1: a prompt", "multiply-add peak", ("llama.cpp",), [ModelCase("prefill", "smollm2", 1, 512)]),
    Group("SmolLM2-135M, Q4_1: a token after 512", "read bandwidth", ("llama.cpp",),
          [ModelCase("generate", "smollm2", 1, 512)]),
)

# What --quick leaves: one small case of each kind.
QUICK = ("forward H8 T512 D64", "forward H8 T512 D64 causal", "training H8 T512 D64", "decode H9/G3 N32768 D64",
         "forward H8 T1024 D64 bf16", "encode minilm T128")
