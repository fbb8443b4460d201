"""Writes quantised.json: blocks of every weight type and the floats that the gguf package makes of them (pip install gguf).

    python make_quantised.py > quantised.json

For each type: "blocks", the stored bytes, and "weights", little-endian f32, both in hexadecimal.
"""

import json

import numpy
from gguf import GGMLQuantizationType
from gguf.quants import dequantize

# Bytes a block, and where its f16 scales are: random bytes there could be infinite.
TYPES = {"Q8_0": (34, [0]), "Q4_0": (18, [0]), "Q4_1": (20, [0, 2]), "Q5_0": (22, [0]), "Q5_1": (24, [0, 2]),
         "Q4_K": (144, [0, 2]), "Q6_K": (210, [208])}
BLOCKS = 4


def random_blocks(random, size, scales):
    blocks = random.integers(0, 256, (BLOCKS, size), dtype=numpy.uint8)
    for place in scales:
        values = random.normal(size=BLOCKS).astype(numpy.float16)
        values[-1] = numpy.float16(3e-7)  # a subnormal one
        blocks[:, place : place + 2] = values.view(numpy.uint8).reshape(BLOCKS, 2)
    return blocks


def main():
    random = numpy.random.default_rng(5)
    golden = {}
    for name, (size, scales) in TYPES.items():
        blocks = random_blocks(random, size, scales)
        golden[name] = (blocks, dequantize(blocks, GGMLQuantizationType[name]))
    floats = numpy.array([0.0, -0.0, 1.0, -2.5, 65504.0, 1e-7, 3.14159, -1e-30], dtype=numpy.float32)
    golden["F32"] = (floats, floats)
    golden["F16"] = (halves := floats.astype(numpy.float16), halves.astype(numpy.float32))
    words = (floats.view(numpy.uint32) >> 16).astype(numpy.uint16)
    golden["BF16"] = (words, dequantize(words.view(numpy.uint8), GGMLQuantizationType.BF16))
    print(json.dumps({name: {"blocks": blocks.tobytes().hex(), "weights": weights.astype("<f4").tobytes().hex()}
                      for name, (blocks, weights) in golden.items()}, indent=0))


main()
