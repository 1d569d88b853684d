class GPT2Config:
    groessen = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head")
    zahlen = (50257, 1024, 768, 12, 12)

    def __init__(self, **eigene):
        for name, zahl in zip(self.groessen, self.zahlen):
            setattr(self, name, zahl)
        self.n_inner = None
        self.activation_function = "gelu_new"
        for wo in ("resid", "embd", "attn"):
            setattr(self, wo + "_pdrop", 0.1)
        self.layer_norm_epsilon = 1e-5
        self.initializer_range = 0.02
        self.bos_token_id = self.eos_token_id = 50256
        self.tie_word_embeddings = True
        for name, wert in eigene.items():
            setattr(self, name, wert)
