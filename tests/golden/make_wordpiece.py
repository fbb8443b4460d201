"""Writes wordpiece.json: awkward texts with the ids and offsets that Hugging Face's tokenizers gives (pip install tokenizers).

    python make_wordpiece.py MINILM/tokenizer.json > wordpiece.json

A list of cases: "tokenizer" is a whole tokenizer.json (null: MiniLM's), "texts" what it was asked. Offsets count code points.
Texts keep to characters that were in Unicode when the peer's tables were made (version 8).
"""

import json
import sys

from tokenizers import Tokenizer

NAMES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = ["a", "b", "hello", "world", "kant", "##o", "##ony", "pok", "é", "##é", "is", "x", "y", "<", ">", ".", "!", ",", "##s"]


def small(added=(), **changes):
    """A small uncased tokenizer.json; `changes` go to the normalizer, max_input_chars_per_word to the model."""
    vocabulary = {piece: i for i, piece in enumerate(NAMES + PIECES)}
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized", "special"], False)
    tokens = [{"id": i, "content": name, **flags, "special": True} for i, name in enumerate(NAMES)]
    tokens += [{"id": len(vocabulary) + i, **flags, **token} for i, token in enumerate(added)]
    limit = changes.pop("max_input_chars_per_word", 100)
    special = {name: {"id": name, "ids": [vocabulary[name]], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    place = {"cls": {"SpecialToken": {"id": "[CLS]", "type_id": 0}}, "sep": {"SpecialToken": {"id": "[SEP]", "type_id": 0}}}
    first, second = ({"Sequence": {"id": name, "type_id": i}} for i, name in enumerate("AB"))
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": tokens,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
                       "lowercase": True, **changes},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing", "single": [place["cls"], first, place["sep"]],
                           "pair": [place["cls"], first, place["sep"], second], "special_tokens": special},
        "decoder": None,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": limit, "vocab": vocabulary},
    }


MINILM = [
    "Kant\u014d l\u01dcshi", "Kanto\u0304 lu\u0308\u0300shi", "private \uf059use", "nul\0fffd\ufffdzwj\u200dtab\tnew\nret\r.",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0627\u0644\u0652\u0639\u064e\u0631", "\u0130stanbul \u0131", "pok\U0001f4a9",
    "\U0001f4a9", "\U0001f4a9\U0001f4a9", "\U0001f4a9\U0001f4a9\U0001f4a9\U0001f4a9", "Hello,World!", "a" * 100, "a" * 101,
    "x[MASK]y", "[SEP][CLS] [sep] [PAD", "[UNK]\u0301", "\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab", "\u0344\u0f73x",
    "\u0450\u0416\u04dd\U0001d15f\U0001d170", "\u4e2d\u6587ab\u4e2d", "\U00020000\U0002b820\uf900\u3400", "\ufb01ne \u212b \u2126",
    "\u1e9b\u0323", "a\u2028b\u2029c\u3000d\u0085e\u000bf", "\ufeffbom", "\U0001f468\u200d\U0001f469\u200d\U0001f467\ufe0f ok",
    "\U000e0001\U00010ffff", "\u0301", "e\u0301\u0327\u0323", "$a^b`c|d~", "\u00bfqu\u00e9? \u00abno\u00bb \u2014 \u2026", "\u00b2\u00b3\u00bd",
    "soft\u00adhyphen", "1\ufe0f\u20e3", "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22", "\U0001f1e9\U0001f1ea", "\U0001d400\U0001d7d8",
]

CASES = [
    (None, MINILM),
    (small(lowercase=False, strip_accents=None), ["na\u00efve \u00e9", "Hello hello", "\u00e9" * 60, "e\u0301"]),
    (small(lowercase=False, strip_accents=True), ["\u00e9a \u00c9", "Kant\u014d kant\u014d"]),
    (small(strip_accents=False), ["\u00c9\u00e9 \u0130", "e\u0301 \u00e9"]),
    (small(clean_text=False, handle_chinese_chars=False), ["a\u2003b\u0085a\u0001 \u4e2da", "a\u200bb\tx"]),
    (small(max_input_chars_per_word=5), ["hello", "hellos", "\u00e9\u00e9\u00e9\u00e9\u00e9 worlds world"]),
    (small([{"content": "<mask>", "lstrip": True, "special": True}]),
     ["is <mask>.", "is <mask> ", "is\u00a0 <mask>", "is\u200b<mask>", "<mask><mask>", " <mask>", "is \t\n<mask>a"]),
    (small([{"content": "<mask>", "single_word": True}]),
     ["Dette er <mask>", "Dette er <mask> ", " A<mask> <mask>ony", "<mask>", "a <mask>.", "<mask>\u0301", "_<mask>", "<mask>\u24b6"]),
    (small([{"content": "<a>"}, {"content": "<a><b>", "rstrip": True}, {"content": "aa"}, {"content": "aaa", "single_word": True}]),
     ["<a><b>  x", "<a><a><b>x", "<a>\u2003<b>", "aaab aaa aaaa", "<A>"]),
    (small([{"content": "Hello W\u00f6rld", "normalized": True}, {"content": "Is", "normalized": True, "single_word": True,
                                                                     "rstrip": True, "lstrip": True}]),
     ["HELLO WORLD", "hello wo\u0308rld", "x is y", "this", "Is  is"]),
]


def asked(tokenizer, texts):
    for text in texts:
        encoding = tokenizer.encode(text)
        yield {"text": text, "ids": encoding.ids, "offsets": encoding.offsets}


def main():
    cases = []
    for config, texts in CASES:
        tokenizer = Tokenizer.from_str(json.dumps(config)) if config else Tokenizer.from_file(sys.argv[1])
        tokenizer.no_truncation()
        tokenizer.no_padding()
        cases.append({"tokenizer": config, "texts": list(asked(tokenizer, texts))})
    lines = ",\n".join(json.dumps(case) for case in cases)
    print(f"[\n{lines}\n]")


main()
