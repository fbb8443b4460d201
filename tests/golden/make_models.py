"""Writes what Transformers makes of MiniLM, SmolLM2 and random tiny checkpoints in double: minilm.*, smollm2.*, tiny/{bert,
gpt2,llama,llama_scaled}. The texts asked are those of minilm.json and smollm2.json here.

    python make_models.py MODELS OUT     (pip install torch transformers accelerate gguf; MODELS as tools/get-model fills it)

minilm and smollm2, by the number N of the sentence: N/attention [L,H,T,T], N/hidden [T,C] and N/embedding [C] (mean of all
tokens, of length 1), or N/last_logits [V]; per prompt the 24 next ids by greedy choice and the ten largest logits of the first.
tiny: a folder to load, and NAME.expected.safetensors with ids [2,11], result (hidden states or logits), attention [L,2,H,11,11].
"""

import json
import pathlib
import sys

import torch
from safetensors.torch import save_file
from tokenizers import pre_tokenizers
from transformers import (AutoModel, AutoModelForCausalLM, AutoTokenizer, BertConfig, BertModel, GPT2Config, GPT2LMHeadModel,
                          LlamaConfig, LlamaForCausalLM)

from random_checkpoint import draw, write_expected

HERE = pathlib.Path(__file__).parent
SMOLLM2 = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMALL = dict(vocab_size=96, attn_implementation="eager")
WIDE = dict(hidden_size=32, num_hidden_layers=2, **SMALL)
LLAMA = dict(intermediate_size=56, max_position_embeddings=64, **WIDE)
LLAMA3 = dict(rope_type="llama3", rope_theta=10000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=16)
TINY = {
    "bert": lambda: BertModel(BertConfig(num_attention_heads=4, intermediate_size=64, max_position_embeddings=40, **WIDE)),
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=40, **SMALL)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(
        num_attention_heads=4, num_key_value_heads=2, tie_word_embeddings=False, **LLAMA)),
    "llama_scaled": lambda: LlamaForCausalLM(LlamaConfig(
        num_attention_heads=2, num_key_value_heads=1, head_dim=24, tie_word_embeddings=True, rope_scaling=LLAMA3, **LLAMA)),
}


def texts_of(name):
    return {kind: [case["text"] for case in cases] for kind, cases in json.loads((HERE / name).read_text()).items()}


def all_heads(output):
    return torch.stack(output.attentions).float()


def write(folder, name, index, tensors):
    (folder / f"{name}.json").write_text(json.dumps(index, ensure_ascii=True, indent=0))
    save_file({key: tensor.contiguous() for key, tensor in tensors.items()}, folder / f"{name}.safetensors")


def encoder(models, out):
    asked, tensors = texts_of("minilm.json"), {}
    tokenizer = AutoTokenizer.from_pretrained(models / "minilm")
    model = AutoModel.from_pretrained(models / "minilm", attn_implementation="eager").double().eval()
    index = {"sentences": [], "texts": []}
    for n, text in enumerate(asked["sentences"]):
        read = tokenizer(text, return_offsets_mapping=True)
        output = model(torch.tensor([read.input_ids]), output_attentions=True)
        hidden = output.last_hidden_state[0]
        tensors[f"{n}/attention"] = all_heads(output)[:, 0]
        tensors[f"{n}/hidden"] = hidden.float()
        tensors[f"{n}/embedding"] = torch.nn.functional.normalize(hidden.mean(0), dim=-1).float()
        index["sentences"].append({"text": text, "ids": read.input_ids, "tokens": read.tokens(),
                                   "offsets": read.offset_mapping})
    for text in asked["texts"]:
        read = tokenizer(text, return_offsets_mapping=True)
        index["texts"].append({"text": text, "ids": read.input_ids, "offsets": read.offset_mapping})
    write(out, "minilm", index, tensors)


def decoder(models, out):
    asked, tensors = texts_of("smollm2.json"), {}
    tokenizer = AutoTokenizer.from_pretrained(models / "smollm2", gguf_file=SMOLLM2)
    # The file's pre-tokenizer is "smollm": each digit by itself, then GPT-2's split.
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    model = AutoModelForCausalLM.from_pretrained(models / "smollm2", gguf_file=SMOLLM2, attn_implementation="eager",
                                                 dtype=torch.float32).double().eval()
    index = {"sentences": [], "prompts": [], "texts": []}
    for n, text in enumerate(asked["sentences"]):
        read = tokenizer(text)
        output = model(torch.tensor([read.input_ids]), output_attentions=True)
        tensors[f"{n}/attention"] = all_heads(output)[:, 0]
        tensors[f"{n}/last_logits"] = output.logits[0, -1].float()
        index["sentences"].append({"text": text, "ids": read.input_ids, "tokens": read.tokens()})
    for text in asked["prompts"]:
        ids = tokenizer(text).input_ids
        greedy = model.generate(torch.tensor([ids]), max_new_tokens=24, do_sample=False, pad_token_id=0)[0, len(ids):]
        top = model(torch.tensor([ids])).logits[0, -1].topk(10)
        index["prompts"].append({"text": text, "ids": ids, "greedy_ids": greedy.tolist(),
                                 "greedy_text": tokenizer.decode(greedy), "top_ids": top.indices.tolist(),
                                 "top_logits": [round(x, 5) for x in top.values.tolist()]})
    for text in asked["texts"]:
        index["texts"].append({"text": text, "ids": tokenizer(text, add_special_tokens=False).input_ids})
    write(out, "smollm2", index, tensors)


def tiny(out):
    torch.manual_seed(7)
    models = {name: make().eval() for name, make in TINY.items()}  # all of them first: each takes random numbers
    for name, model in models.items():
        draw(model)
        model.save_pretrained(out / name)
        ids = torch.randint(0, 96, (2, 11))
        output = model.double()(ids, output_attentions=True)
        result = output.last_hidden_state if name == "bert" else output.logits
        write_expected(out, name, ids, result, output.attentions)


@torch.no_grad()
def main():
    models, out = map(pathlib.Path, sys.argv[1:3])
    encoder(models, out)
    decoder(models, out)
    tiny(out / "tiny")


main()
