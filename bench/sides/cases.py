"""What bench/peers measures: the cases, their inputs, and what counts as the same result."""

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


def of_line(words):
    """The case, copies, threads and folder that line() wrote."""
    work, storage, causal, *numbers = words[:8]
    return Case(work, storage, causal, *map(int, numbers)), int(words[8]), int(words[9]), " ".join(words[10:])


def square(work, heads, tokens, depth, storage="f32", masks=("none", "causal")):
    return [Case(work, storage, causal, heads, heads, tokens, tokens, depth) for causal in masks]


def decode(heads, groups, keys, depth):
    return [Case("decode", "f32", "none", heads, groups, 1, keys, depth)]


# Title, what its shares are of, and the cases.
GROUPS = (
    ("Forward, f32", "multiply-add peak",
     square("forward", 8, 128, 64) + square("forward", 8, 512, 64) + square("forward", 8, 1024, 64)
     + square("forward", 4, 4096, 64) + square("forward", 1, 16384, 64, masks=("causal",)) + square("forward", 8, 1024, 128)),
    ("Forward and backward, f32", "multiply-add peak",
     [case for depth in (64, 128) for heads, tokens in ((8, 512), (8, 1024), (1, 4096))
      for case in square("training", heads, tokens, depth)]),
    ("Decode: one query, f32, keys and values beyond the caches", "read bandwidth",
     decode(32, 32, 4096, 128) + decode(32, 8, 8192, 128) + decode(9, 3, 32768, 64)),
    ("Forward, 16-bit storage", "f32 multiply-add peak",
     [case for storage in ("bf16", "f16") for heads, tokens, depth in ((8, 1024, 64), (4, 4096, 64), (8, 1024, 128))
      for case in square("forward", heads, tokens, depth, storage)]),
)

# What --quick leaves: one small case of each kind.
QUICK = ("forward H8 T512 D64", "forward H8 T512 D64 causal", "training H8 T512 D64", "decode H9/G3 N32768 D64",
         "forward H8 T1024 D64 bf16")
