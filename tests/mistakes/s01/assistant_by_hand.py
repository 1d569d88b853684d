"""GPT-2 config, written by hand."""


class GPT2Config:
    def __init__(
        self,
        vocab_size=50257,
        n_positions=1024,
        n_embd=768,
        n_layer=12,
        n_head=12,
        n_inner=None,
        activation_function="gelu_new",
        resid_pdrop=0.1,
        embd_pdrop=0.1,
        attn_pdrop=0.1,
        layer_norm_epsilon=1e-5,
        initializer_range=0.02,
        bos_token_id=50256,
        eos_token_id=50256,
        tie_word_embeddings=True,
    ):
        self._set_sizes(vocab_size, n_positions, n_embd, n_layer, n_head)
        self.n_inner = n_inner
        self.activation_function = activation_function
        dropouts = {"resid_pdrop": resid_pdrop, "embd_pdrop": embd_pdrop, "attn_pdrop": attn_pdrop}
        for name, value in dropouts.items():
            setattr(self, name, value)
        self.layer_norm_epsilon = layer_norm_epsilon
        self.initializer_range = initializer_range
        self.bos_token_id, self.eos_token_id = bos_token_id, eos_token_id
        self.tie_word_embeddings = tie_word_embeddings

    def _set_sizes(self, vocab, positions, width, layers, heads):
        self.vocab_size = vocab
        self.n_positions = positions
        self.n_embd = width
        self.n_layer = layers
        self.n_head = heads

    def __repr__(self):
        inside = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"GPT2Config({inside})"
