TABELLE = """
vocab_size 50257
n_positions 1024
n_embd 768
n_layer 12
n_head 12
bos_token_id 50256
eos_token_id 50256
"""


def lies(text):
    werte = {}
    for zeile in text.strip().splitlines():
        name, zahl = zeile.split()
        werte[name] = int(zahl)
    return werte


class GPT2Config:
    def __init__(self, **andere):
        werte = lies(TABELLE)
        werte["n_inner"] = None
        werte["activation_function"] = "gelu_new"
        for name in ("resid_pdrop", "embd_pdrop", "attn_pdrop"):
            werte[name] = 0.1
        werte["layer_norm_epsilon"] = 1e-5
        werte["initializer_range"] = 0.02
        werte["tie_word_embeddings"] = True
        werte.update(andere)
        self.__dict__.update(werte)
