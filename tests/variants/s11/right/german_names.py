import numpy as np
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Embedding, Module, ModuleList
from max.experimental.tensor import Tensor
from solutions.solution_01 import GPT2Config
from solutions.solution_08 import LayerNorm
from solutions.solution_09 import GPT2Block

TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")


class CheckpointError(ValueError):
    pass


class GPT2Model(Module):
    def __init__(self, config):
        super().__init__()
        self.wte = Embedding(config.vocab_size, dim=config.n_embd)
        self.wpe = Embedding(config.n_positions, dim=config.n_embd)
        self.h = ModuleList([GPT2Block(config) for _ in range(config.n_layer)])
        self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)

    def __call__(self, input_ids):
        stellen = F.range(0, input_ids.shape[-1], dtype=DType.int64, device=input_ids.device)
        x = self.wte(input_ids) + self.wpe(stellen)
        for block in self.h:
            x = block(x)  # eine Schicht nach der anderen
        return self.ln_f(x)


class GPT2LMHeadModel(Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = GPT2Model(config)

    def lm_head(self, x):
        return x @ self.transformer.wte.weight.T

    def __call__(self, input_ids):
        return self.lm_head(self.transformer(input_ids))


def convert_checkpoint(model, checkpoint):
    expected = {name: tuple(int(d) for d in p.shape) for name, p in model.parameters}
    weights, fehler = {}, []
    for key, stored in checkpoint.items():
        if key.endswith((".attn.bias", ".attn.masked_bias")) or key == "lm_head.weight":
            continue
        name = key if key.startswith("transformer.") else "transformer." + key
        array = stored.T if name.endswith(TRANSPOSED) else stored
        if name not in expected:
            fehler.append(f"unexpected: {name}")
        elif tuple(array.shape) != expected[name]:
            fehler.append(f"{name}: shape {array.shape}, expected {expected[name]}")
        weights[name] = np.ascontiguousarray(array, dtype=np.float32)
    fehler += [f"missing: {name}" for name in expected if name not in weights]
    if "lm_head.weight" in checkpoint:
        if not np.array_equal(checkpoint["lm_head.weight"], weights.get("transformer.wte.weight")):
            fehler.append("lm_head.weight is not the table of tokens")
    if fehler:
        raise CheckpointError("; ".join(fehler))
    return weights
