"""Writes bpe.json: what Hugging Face's tokenizers and SentencePiece make of texts (pip install tokenizers sentencepiece).

    python make_bpe.py > bpe.json

"pretokenizers": the words of texts. "tokenizers": one whole tokenizer.json ("base"), cases that change it (a JSON merge
patch), and the ids, offsets and decoded texts. "sentencepiece": a Llama-2-like vocabulary and ids. "byte_fallback": that
vocabulary as a tokenizer.json, in the forms that folders of Llama 2 and Mistral have. Offsets count code points.
Texts keep to characters that were in Unicode when the peers' tables were made.
"""

import io
import json
import random

import sentencepiece
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

STORY = """The animal didn't cross the street because it was too tired. The animal didn't cross the street because it was too wide.
Once upon a time, there was a small robot who had a special ability: to see where the light of every word goes. It's the robot's
own lamp, they'd say; we'll see, I've seen, you're seen, I'm seen. In 2024 there were 1234 words, in 2025 there were 12345.
for (int i = 0; i < n; ++i) { sum += light[i]; }  // add\tthe light\n\n\nCaf\u00e9 na\u00efve Z\u00fcrich \u65e5\u672c\u8a9e \u4e2d\u6587 \u0645\u0631\u062d\u0628\u0627 \U0001f600 \U0001f4a1."""

VOCABULARY = 440

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")


def byte_level(add_prefix_space=False, use_regex=True, trim_offsets=True):
    return {"type": "ByteLevel", "add_prefix_space": add_prefix_space, "trim_offsets": trim_offsets, "use_regex": use_regex}


def digits(individual):
    return {"type": "Digits", "individual_digits": individual}


def punctuation(behavior):
    return {"type": "Punctuation", "behavior": behavior}


def split(pattern):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


def sequence(*steps):
    return {"type": "Sequence", "pretokenizers": list(steps)}


LAST = byte_level(use_regex=False)
STEPS = {
    "gpt2": byte_level(),
    "gpt2 by split": sequence(split(GPT2), LAST),
    "llama3": sequence(split(LLAMA3), LAST),
    "qwen2": sequence(split(QWEN2), LAST),
    "smollm": sequence(digits(True), byte_level()),
    "digits": sequence(digits(True), LAST),
    "runs of digits": sequence(digits(False), LAST),
    "punctuation": sequence(punctuation("Isolated"), LAST),
    "runs of punctuation": sequence(punctuation("Contiguous"), byte_level()),
    "none": LAST,
}

SPLITS = [
    "", " ", "\n =", "a  b", "a   ", "   a", "It's IT'S we'LL they'Re 'S 's's x'y '' ' 'd", "x\u00b23 \u00bd \u0661\u0662\u0663\u0664 \u2163", "\u2029 \ua4e3",
    "\u00a0a\u00a0\u00a0b", "tab\ttab\t\ttab \t", "a\r\nb\r\n\r\n  c\n \n  d  \n", "!\n\n!\r", " \n!?\n a", "price: $1,234.56 (-12%)", "12345678", " 123 4",
    "http://example.org/a_b?c=d", "it'\u017f", "\u4e2d\u6587\u3002\u65e5\u672c", "e\u0301 \u0301\u0301", "\U0001f600\U0001f469\u200d\U0001f4bb", "a\u200bb\ufeffc\u00add",
    "\u0085x\u001cy\u2028z\u3000", "  \n  \n  x", "'", "' s", "\u3000\u4e2d", "-- don't---stop...", "\t\nx", "a\u0000b", "_a_ +b+ <c>",
]


def noise(count, seed):
    """Texts that mix all classes of characters."""
    parts = list("abtsmdrelvABTS'''    \t\n\r.,!-_$+0123\u00b2\u0663\u2163\u00e9\u00df\u017f\u4e2d\u65e5\ud55c\u00a0\u2028\u3000\u0085\u0301\u200b\U0001f600")
    parts += ["'s", "'LL", " '", "\r\n", "  ", " the", "word", "1234"]
    chance = random.Random(seed)
    return ["".join(chance.choice(parts) for _ in range(chance.randint(4, 24))) for _ in range(count)]


def words_of(steps):
    cutter = tokenizer_of({**BASE, "pre_tokenizer": steps}).pre_tokenizer
    return [{"text": text, "offsets": [offsets for _, offsets in cutter.pre_tokenize_str(text)]}
            for text in SPLITS + noise(60, 1)]


def trained():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False)
    tokenizer.train_from_iterator([STORY] * 3, trainer)
    return json.loads(tokenizer.to_str())["model"]


def added(token_id, content, *flags):
    return {"id": token_id, "content": content,
            **{flag: flag in flags for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")}}


def tokenizer_of(config):
    return Tokenizer.from_str(json.dumps(config))


def special(name, token_id):
    return {"id": name, "ids": [token_id], "tokens": [name]}


BASE = {
    "version": "1.0", "truncation": None, "padding": None,
    "added_tokens": [added(VOCABULARY + 0, "<|end|>", "special"), added(VOCABULARY + 1, "<mask>", "lstrip", "special"), added(VOCABULARY + 2, "<word>", "single_word"),
                     added(VOCABULARY + 3, "<more>", "rstrip"), added(VOCABULARY + 4, "<more><more>")],
    "normalizer": None, "pre_tokenizer": byte_level(), "post_processor": None, "decoder": byte_level(), "model": trained(),
}
TEXTS = STORY.split("\n") + [
    "", " ", "  ", "hello  world", " the light ", "caf\u00e9 cafe\u0301 \u212b", "\U0001f600\U0001f4a1x", "\u65e5\u672c\u8a9e", "a<|end|>b <|end|> c", "<|end|>",
    "the <mask>.", "the \t<mask> light", "<word> a<word> <word>b <word>", "<more>  x <more><more> <more", "1234567 12", "It's 'LL", "\u0000\u0007\ufffd", "z" * 40, "a quick q",
]
TEMPLATE = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<|end|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [], "special_tokens": {"<|end|>": special("<|end|>", VOCABULARY)}}
WITHOUT_Q = [merge for merge in BASE["model"]["merges"] if "q" not in "".join(merge)]


def roberta(add_prefix_space, trim_offsets):
    return {"type": "RobertaProcessing", "sep": ["<|end|>", VOCABULARY], "cls": ["<mask>", VOCABULARY + 1],
            "trim_offsets": trim_offsets, "add_prefix_space": add_prefix_space}


CHANGES = [
    {},
    {"post_processor": byte_level()},
    {"pre_tokenizer": STEPS["smollm"]},
    {"pre_tokenizer": STEPS["llama3"], "model": {"ignore_merges": True}, "post_processor": {"type": "Sequence", "processors": [byte_level(), TEMPLATE]}},
    {"pre_tokenizer": STEPS["qwen2"]},
    {"pre_tokenizer": STEPS["runs of punctuation"]},
    {"model": {"unk_token": "z", "vocab": {"q": None, "no byte": BASE["model"]["vocab"]["q"]}, "merges": WITHOUT_Q}},
    {"post_processor": roberta(add_prefix_space=False, trim_offsets=True)},
    {"pre_tokenizer": byte_level(add_prefix_space=True), "post_processor": roberta(add_prefix_space=True, trim_offsets=False)},
]


def patched(target, patch):
    """A JSON merge patch (RFC 7386)."""
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = patched(target.get(key), value)
    return target


def case(changes, base=BASE, of=TEXTS + noise(20, 2)):
    tokenizer = tokenizer_of(patched(base, changes))
    texts = []
    for text in of:
        encoding = tokenizer.encode(text)
        texts.append({"text": text, "ids": encoding.ids, "offsets": encoding.offsets,
                      "decoded": tokenizer.decode(encoding.ids, skip_special_tokens=False), "plain": tokenizer.decode(encoding.ids)})
    return {"changes": changes, "texts": texts}


def llama2():
    stream = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(STORY.split("\n")), model_writer=stream, vocab_size=380, model_type="bpe", byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, split_digits=True, allow_whitespace_only_pieces=True,
        character_coverage=0.98, num_threads=1, minloglevel=2)
    peer = sentencepiece.SentencePieceProcessor(model_proto=stream.getvalue())
    kinds = [(peer.is_unknown, 2), (peer.is_control, 3), (peer.is_byte, 6), (peer.is_unused, 5), (lambda _: True, 1)]
    ids = range(peer.vocab_size())
    texts = [text for text in TEXTS + noise(40, 3) if "<" not in text]
    return {"tokens": [peer.id_to_piece(i) for i in ids], "scores": [peer.get_score(i) for i in ids],
            "types": [next(kind for is_kind, kind in kinds if is_kind(i)) for i in ids],
            "texts": [{"text": text, "ids": peer.encode(text)} for text in texts]}


def merges_of(tokens, scores):
    """Every cut of a piece into two, the best score first, as Transformers makes them."""
    ids, found = {token: i for i, token in enumerate(tokens)}, []
    for token, score in zip(tokens, scores):
        cuts = [(token[:i], token[i:]) for i in range(1, len(token)) if token[:i] in ids and token[i:] in ids]
        found += [(score, *cut) for cut in sorted(cuts, key=lambda cut: (ids[cut[0]], ids[cut[1]]))]
    return [list(cut) for _, *cut in sorted(found, key=lambda m: (m[0], len(m[1]), len(m[2])), reverse=True)]


def replace(old, new):
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def metaspace(**fields):
    return {"normalizer": None, "pre_tokenizer": {"type": "Metaspace", "replacement": MARK, **fields}}


MARK = "\u2581"
DECODERS = [replace(MARK, " "), {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]
START = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
         "pair": [], "special_tokens": {"<s>": special("<s>", 1)}}
FORMS = [
    {},
    metaspace(prepend_scheme="first", split=False),
    metaspace(prepend_scheme="always", split=True),
    metaspace(prepend_scheme="never"),
    metaspace(add_prefix_space=True),
    metaspace(add_prefix_space=True, prepend_scheme="first"),
    {"normalizer": replace(" ", MARK), "decoder": {"type": "Sequence", "decoders": DECODERS[:3]}},
]


def byte_fallback(llama):
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
             "vocab": {token: i for i, token in enumerate(llama["tokens"])}, "merges": merges_of(llama["tokens"], llama["scores"])}
    base = {"version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [added(i, token, "special") for i, token in enumerate(["<unk>", "<s>", "</s>"])],
            "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": MARK}, replace(" ", MARK)]},
            "pre_tokenizer": None, "post_processor": START, "decoder": {"type": "Sequence", "decoders": DECODERS}, "model": model}
    texts = STORY.split("\n")[1:3] + ["", "  ", " the light ", "hello  world", "caf\u00e9 \u65e5\u672c\u8a9e \U0001f600"] + noise(12, 4) + ["</s>", "a</s>b", "a </s> b", " </s>a", f"{MARK}a {MARK}", "</s></s> a", "<s>a", "a\u200bb"]
    return {"base": base, "tokenizers": [case(form, base, texts) for form in FORMS]}


def line(value):
    return json.dumps(value, separators=(",", ":"))


def main():
    print('{"pretokenizers": [')
    print(",\n".join(line({"name": name, "pre_tokenizer": steps, "texts": words_of(steps)}) for name, steps in STEPS.items()))
    print('],\n"base":', line(BASE), ',\n"tokenizers": [')
    print(",\n".join(line(case(changes)) for changes in CHANGES))
    llama = llama2()
    print('],\n"sentencepiece":', line(llama), ',\n"byte_fallback":', line(byte_fallback(llama)), "}")


main()
