"""Writes tiny/distilbert and tiny/roberta: random checkpoints, and what Transformers makes of ids in double.

    python make_encoders.py tiny     (pip install torch transformers)
"""

import pathlib
import sys

import torch
from transformers import DistilBertConfig, DistilBertModel, RobertaConfig, RobertaModel

from random_checkpoint import draw, write_expected

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
        draw(model)
        model.save_pretrained(folder / name)
        ids = torch.randint(0, 96, (2, 11))
        ids[1, 4] = 1  # RoBERTa's padding token
        with torch.no_grad():
            output = model.double()(input_ids=ids, attention_mask=torch.ones_like(ids), output_attentions=True)
        write_expected(folder, name, ids, output.last_hidden_state, output.attentions)


main()
