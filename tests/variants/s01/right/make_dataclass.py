from dataclasses import field, make_dataclass

GPT2Config = make_dataclass(
    "GPT2Config",
    [
        ("vocab_size", int, field(default=50257)),
        ("n_positions", int, field(default=1024)),
        ("n_embd", int, field(default=768)),
        ("n_layer", int, field(default=12)),
        ("n_head", int, field(default=12)),
        ("n_inner", object, field(default=None)),
        ("activation_function", str, field(default="gelu_new")),
        ("resid_pdrop", float, field(default=0.1)),
        ("embd_pdrop", float, field(default=0.1)),
        ("attn_pdrop", float, field(default=0.1)),
        ("layer_norm_epsilon", float, field(default=1e-5)),
        ("initializer_range", float, field(default=0.02)),
        ("bos_token_id", int, field(default=50256)),
        ("eos_token_id", int, field(default=50256)),
        ("tie_word_embeddings", bool, field(default=True)),
    ],
)
