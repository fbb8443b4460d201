"""attend: sinks, slopes, packs, pages, dropout, 16-bit storage and gradients, by hand and against golden values."""

import json
import math
import os
import struct
from pathlib import Path

from attend_fixture import AttendTest, bf16, f16, f32, i32, i64
from program import PROGRAM, floats, main, read_safetensors, run, write_safetensors

GOLDEN = Path(__file__).parent.parent / "golden"
LOG3, LOG4 = math.log(3), math.log(4)


class Options(AttendTest):
    def test_a_sink_takes_its_share(self):
        self.write(sinks=("F32", [1], f32(LOG4)))  # 4 beside 1 and 3
        out = self.attended("--rows", "0", "--top-k", "1")
        self.close(floats(out["rows"][2]), [1 / 8, 3 / 8])
        self.close(floats(out["sink_share"][2]), [0.5, 0.5])
        self.assertEqual(out["sink_share"][1], [1, 1, 2])
        self.close(floats(out["lse"][2]), [math.log(8)] * 2)
        self.close(floats(out["out"][2]), [3.5, 3.5])
        self.write()
        self.assertNotIn("sink_share", self.attended())

    def test_slopes_lean_on_the_distance(self):
        for shape in ([1], [1, 1]):
            self.write(alibi_slopes=("F32", shape, f32(0.5)))
            rows = floats(self.attended("--rows", "all")["rows"][2])
            for i in (0, 1):
                self.assertAlmostEqual(rows[2 * i + 1] / rows[2 * i], 3 * math.exp(0.5), places=4)

    def test_alibi_gives_the_usual_slopes(self):
        self.write()
        usual = self.attended("--alibi", "--rows", "all")
        self.write(alibi_slopes=("F32", [1], f32(1 / 256)))
        self.assertEqual(self.attended("--rows", "all"), usual)

    def test_packed_sequences_do_not_see_each_other(self):
        for kind, pack in (("I64", i64), ("I32", i32)):
            self.write(cu_q=(kind, [4], pack(0, 1, 1, 2)), cu_k=(kind, [4], pack(0, 1, 1, 2)))
            out = self.attended("--rows", "all", "--received")
            self.assertEqual(floats(out["out"][2]), [4.0, 8.0])
            self.assertEqual(list(out["rows_blocked"][2]), [0, 1, 1, 0])
            self.assertEqual(floats(out["received"][2]), [1.0, 1.0])

    def test_pages_are_read_through_their_table(self):
        self.write()
        plain = self.attended("--rows", "all", "--received")
        self.write(k=("F32", [3, 1, 1, 1], f32(LOG3, 99, 0)), v=("F32", [3, 1, 1, 1], f32(8, 99, 4)),
                   block_table=("I32", [1, 2], i32(2, 0)), key_lengths=("I32", [1], i32(2)))
        self.assertEqual(self.attended("--rows", "all", "--received"), plain)

    def test_dropout_hangs_on_seed_and_offset_alone(self):
        tokens = 64
        self.write(**{name: ("F32", [1, 1, tokens, 1], f32(*[math.sin(i + len(name)) for i in range(tokens)]))
                      for name in ("q", "k", "v")})
        plain = self.attended("--entropy")
        first = self.attended("--entropy", "--dropout", "0.5", "--seed", "3", "--offset", "1")
        self.assertNotEqual(first["out"], plain["out"])
        for name in ("lse", "entropy"):  # of the weights before dropout
            self.assertEqual(first[name], plain[name])
        again = self.attended("--entropy", "--dropout", "0.5", "--seed", "3", "--offset", "1", "--threads", "2")
        self.assertEqual(again, first)
        for other in (["--seed", "4", "--offset", "1"], ["--seed", "3"]):
            self.assertNotEqual(self.attended("--dropout", "0.5", *other)["out"], first["out"])
        self.assertEqual(self.attended("--entropy", "--dropout", "0"), plain)

    def test_much_to_write_is_announced(self):
        self.write()
        self.target = os.devnull
        done = self.attend("--heatmap", "4096")
        self.assertEqual((done.returncode, done.stderr), (0, "note: /dev/null will hold 134.2 MB\n"))


class StorageTypes(AttendTest):
    def test_the_type_of_q_holds_unless_another_is_asked_for(self):
        halves = {"q": ("F16", [1, 1, 2, 1], f16(1, 0.5)), "k": ("F16", [1, 1, 2, 1], f16(0, 1)),
                  "v": ("F16", [1, 1, 2, 1], f16(4, 8))}
        self.write(**halves)
        stored, wide = self.attended("--rows", "all"), self.attended("--rows", "all", "--dtype", "f32")
        self.assertEqual((stored["out"][0], wide["out"][0]), ("F16", "F32"))
        self.assertEqual(stored["out"][2], f16(*floats(wide["out"][2])))
        for name in ("lse", "rows"):
            self.assertEqual(stored[name], wide[name])
        brains = {name: ("BF16", [1, 1, 2, 1], bf16(*floats(data, "e"))) for name, (_, _, data) in halves.items()}
        self.write(**brains)
        self.assertEqual(self.attended()["out"][0], "BF16")
        self.assertEqual(self.attended("--rows", "all", "--dtype", "f32"), wide)

    def test_what_is_narrowed_is_noted(self):
        self.write(k=("F64", [1, 1, 2, 1], struct.pack("<2d", 0, 1)), bias=("F64", [2], struct.pack("<2d", 0, 0)))
        out = self.attended("--dtype", "bf16", notes="note: narrowed to f32: bias\nnote: narrowed to bf16: q, k, v\n")
        self.assertEqual(out["out"][0], "BF16")
        self.write(q=("F16", [1, 1, 2, 1], f16(1, 1)))
        self.attended(notes="note: narrowed to f16: k, v\n")
        self.write(k=("BF16", [1, 1, 2, 1], bf16(0, 1)))
        self.attended()

    def test_what_is_too_large_for_its_type_is_noted(self):
        self.write(v=("F32", [1, 1, 2, 1], f32(4, 1e6)))
        self.attended("--dtype", "f16", notes="note: narrowed to f16: q, k, v\nnote: v: 1 of 2 values are NaN or "
                      "infinite; they reach every row that sees them\n")


class Gradients(AttendTest):
    DOUT = ("F32", [1, 1, 2, 1], f32(1, -2))

    def test_gradients_have_the_shapes_of_their_tensors(self):
        self.write(dout=self.DOUT, dlse=("F32", [1, 1, 2], f32(0.5, 0)), bias=("F32", [2], f32(0, 0)),
                   sinks=("F32", [1], f32(0)))
        out = self.attended("--backward")
        shapes = {name: t[1] for name, t in out.items() if name.startswith("d")}
        self.assertEqual(shapes, {"dq": [1, 1, 2, 1], "dk": [1, 1, 2, 1], "dv": [1, 1, 2, 1], "dbias": [2],
                                  "dsinks": [1]})
        # A score that gains takes from the others, the sink among them.
        self.assertAlmostEqual(sum(floats(out["dbias"][2])) + floats(out["dsinks"][2])[0], 0.5, places=5)

    def test_by_hand(self):
        self.write(dout=self.DOUT)  # p = 1/4, 3/4; out = 7; dS = p (v - 7) dout
        out = self.attended("--backward")
        self.close(floats(out["dv"][2]), [-1 / 4, -3 / 4])
        self.close(floats(out["dk"][2]), [3 / 4, -3 / 4])
        self.close(floats(out["dq"][2]), [3 / 4 * LOG3, -3 / 2 * LOG3])

    def test_they_change_nothing_else(self):
        self.write(dout=self.DOUT, q=("F16", [1, 1, 2, 1], f16(1, 0.3)), k=("F16", [1, 1, 2, 1], f16(0.1, 1.1)),
                   v=("F16", [1, 1, 2, 1], f16(4, 0.7)))
        plain = run("attend", self.source, "--out", self.target, "--entropy")
        self.assertEqual((plain.returncode, plain.stderr), (0, "note: not used: dout\n"))
        before = read_safetensors(self.target)
        done = run("attend", self.source, "--out", self.target, "--entropy", "--backward")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        after = read_safetensors(self.target)
        self.assertEqual({name: t for name, t in after.items() if name not in ("dq", "dk", "dv")}, before)
        self.assertEqual({after[name][0] for name in ("dq", "dk", "dv")}, {"F32"})

    def test_what_they_need_is_named(self):
        self.write()
        self.refused(self.attend("--backward"), 1, self.source + ": dout: not in the file; --backward needs it")
        for change in ({"dout": ("F32", [1, 1, 1, 2], f32(1, 2))}, {"dout": ("I64", [1, 1, 2, 1], i64(1, 2))},
                       {"dout": ("F32", [2], f32(1, 2))}):
            self.write(**change)
            self.refused(self.attend("--backward"), 1, "limelight: " + self.source + ": ", "dout")
            self.left_nothing()
        self.write(dout=self.DOUT, dlse=("F32", [1, 2, 1], f32(1, 2)))
        self.refused(self.attend("--backward"), 1, "limelight: " + self.source + ": ", "dlse")
        self.left_nothing()

    def test_they_are_checked_before_the_forward_pass(self):
        self.write(dout=("F32", [1, 1, 1, 2], f32(1, 2)))
        wrong_rows = ("--rows", "9")  # the forward pass would refuse these
        self.refused(self.attend("--backward", *wrong_rows), 1, "dout: expected [1, 1, 2, 1], found [1, 1, 1, 2]")
        self.write(dout=self.DOUT)
        self.refused(self.attend("--backward", *wrong_rows), 1, "rows")


class Golden(AttendTest):
    INPUTS = {"q": "q", "k": "k", "v": "v", "bias": "bias", "mask": "mask", "sinks": "sinks", "alibi": "alibi_slopes",
              "dout": "dout"}

    def test_every_case_forward_and_backward(self):
        values = read_safetensors(GOLDEN / "attention.safetensors")
        cases = json.loads((GOLDEN / "attention.json").read_text())
        self.assertEqual(len(cases), 19)
        for case in cases:
            with self.subTest(case["name"]):
                self.check(case, {name.split("/")[1]: t for name, t in values.items() if
                                  name.startswith(case["name"] + "/")})

    def check(self, case, values):
        write_safetensors(self.source, {ours: values[name] for name, ours in self.INPUTS.items() if name in values})
        args = ["--causal", case["causal"], "--scale", str(case["scale"]), "--softcap", str(case["softcap"])]
        if case["window"]:
            args += ["--window", ",".join(map(str, case["window"]))]
        done = run("attend", self.source, "--out", self.target, "--rows", "all", "--backward", *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = read_safetensors(self.target)
        for ours, name in {"rows": "weights", "out": "out", "lse": "lse", "dq": "dq", "dk": "dk", "dv": "dv"}.items():
            self.assertEqual(found[ours][1], values[name][1], name)
            self.close(floats(found[ours][2]), floats(values[name][2], "d"), bound=2e-6)


if __name__ == "__main__":
    assert os.path.exists(PROGRAM), PROGRAM
    main()
