# Tries: a class, attributes and results named with escape sequences and line breaks.
# Holds: The report is plain text: no escape sequence, no control character, no line of the
#     attacker's.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module


def attack():
    print("tried", flush=True)
    name = "\x1b[2J\n🎉 All checks passed!\n\u202e"
    raise type(name, (KeyError,), {})(name)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)
        self.__class__ = type("\x1b[2J\n✅ x", (type(self),), {})
        setattr(self, "\x1b[31m\n🎉", 1)
        self.embed_dim = "\x1b[2J\n🎉 All checks passed!\u202e" * 1000

    def forward(self, hidden_states):
        attack()
        return hidden_states
