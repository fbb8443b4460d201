"""Writes tiny/distilbert and tiny/roberta: random checkpoints, and what Transformers makes of ids in double.

    python make_encoders.py tiny     (pip install torch transformers)
"""

import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import DistilBertConfig, DistilBertModel, RobertaConfig, RobertaModel

MODELS = {
    "distilbert": lambda: DistilBertModel(DistilBertConfig(
        vocab_size=96, dim=32, n_layers=2, n_heads=4, hidden_dim=64, max_position_embeddings=40, attn_implementation="eager")),
    "roberta": lambda: RobertaModel(RobertaConfig(
        vocab_size=96, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=42,
        type_vocab_size=1, layer_norm_eps=1e-5, attn_implementation="eager")),
}


def main():
    folder = pathlib.Path(sys.argv[1])
    for seed, (name, make) in enumerate(MODELS.items()):
        torch.manual_seed(seed)
        model = make().eval()
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.data.normal_(0, 0.2)
            else:
                parameter.data.add_(torch.randn_like(parameter) * 0.1)
        model.save_pretrained(folder / name)
        ids = torch.randint(0, 96, (2, 11))
        ids[1, 4] = 1  # RoBERTa's padding token
        with torch.no_grad():
            output = model.double()(input_ids=ids, attention_mask=torch.ones_like(ids), output_attentions=True)
        expected = {"ids": ids, "result": output.last_hidden_state.float().contiguous(),
                    "attention": torch.stack(output.attentions).float().contiguous()}
        save_file(expected, folder / f"{name}.expected.safetensors")


main()
