"""What the scripts that write random tiny checkpoints share."""

import torch
from safetensors.torch import save_file


def draw(model):
    """Random numbers for every weight, of a size at which nothing saturates."""
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.normal_(0, 0.2)
        else:
            parameter.data.add_(torch.randn_like(parameter) * 0.1)


def write_expected(folder, name, ids, result, attentions):
    save_file({"ids": ids, "result": result.float().contiguous(),
               "attention": torch.stack(attentions).float().contiguous()}, folder / f"{name}.expected.safetensors")
