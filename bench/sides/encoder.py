"""MiniLM by Transformers, for PyTorch's and OpenVINO's sides of bench/peers."""

import torch
from transformers import BertModel


def load(folder, number=torch.float32):
    """Hidden states alone, [texts, tokens, channels]; attention by scaled_dot_product_attention."""
    model = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="sdpa", dtype=number)
    return model.eval()


def hidden_of(model, ids):
    return model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
