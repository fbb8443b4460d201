"""Writes small.gguf with the gguf package: metadata of every type, and a tensor of every type it can quantise to.

    python make_gguf.py small.gguf     (pip install gguf)
"""

import sys

import numpy
from gguf import GGMLQuantizationType, GGUFWriter
from gguf.quants import quantize

TYPES = ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"]


def main():
    writer = GGUFWriter(sys.argv[1], "llama")
    writer.add_custom_alignment(64)
    for kind, value in {"uint8": 255, "int8": -1, "uint16": 65535, "int16": -2, "uint32": 4294967295, "int32": -3,
                        "uint64": 1 << 40, "int64": -4, "float32": 0.5, "float64": 0.1, "bool": True}.items():
        getattr(writer, f"add_{kind}")(f"value.{kind}", value)
    writer.add_string("value.string", "light é")
    writer.add_array("array.string", ["a", "", "bc"])
    writer.add_array("array.int32", [1, -2, 3])
    writer.add_array("array.float32", [0.5, -1.5])
    writer.add_array("array.bool", [True, False])
    # Quarters from -2 to 2: every type but the 4-bit ones holds most of them exactly.
    weights = ((numpy.arange(3 * 64) * 7) % 17 - 8).reshape(3, 64).astype(numpy.float32) / 4
    for name in TYPES:
        kind = GGMLQuantizationType[name]
        stored = weights if name == "F32" else weights.astype(numpy.float16) if name == "F16" else quantize(weights, kind)
        writer.add_tensor(f"weights.{name}", stored, raw_dtype=None if name in ("F32", "F16") else kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


main()
