from types import SimpleNamespace

TAILLES = dict(vocab_size=50257, n_positions=1024, n_embd=768, n_layer=12, n_head=12, n_inner=None)
ABANDON = dict.fromkeys(["resid_pdrop", "embd_pdrop", "attn_pdrop"], 0.1)
RESTE = {
    "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5,
    "initializer_range": 0.02,
    "tie_word_embeddings": True,
}


class GPT2Config(SimpleNamespace):
    def __init__(self, **choisis):
        dernier = TAILLES["vocab_size"] - 1
        valeurs = {**TAILLES, **ABANDON, **RESTE}
        valeurs["bos_token_id"] = dernier
        valeurs["eos_token_id"] = dernier
        for nom in choisis:
            if nom not in valeurs:
                raise TypeError(f"inconnu: {nom}")
        valeurs.update(choisis)
        super().__init__(**valeurs)
