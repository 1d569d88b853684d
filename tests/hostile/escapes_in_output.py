# Tries: escape sequences in the output: clear, title, clipboard, colours, cursor, links.
# Holds: The report is plain text: no escape sequence, no control character, no line of the
#     attacker's.
# Verdict: fail
# Says: tried
import sys

from max.experimental.nn import Linear, Module


DONE = []


def attack():
    print("tried")
    print("\x1b[2J\x1b[H\x1b]0;owned\x07\x1b]52;c;aGk=\x07\x1b[31mred\x1b[0m\x9b2J\x1bP+q\x1b\\")
    print("\x1b]8;;http://x.invalid\x07link\x1b]8;;\x07", "a\rb\x08\x08c\x7f\x00\x0b\x0c\x85")
    print("\u202eright to left\u2066\u200b\ufeff\U000e0041")
    sys.stdout.buffer.write(b"\xff\xfe\x1b\xc2\x9b2J\n\xed\xa0\x80")
    print("\r✅ Output shape is correct\r\n🎉 All checks passed!\x1b[A", flush=True)


class GPT2Attention(Module):
    def __init__(self, config):
        super().__init__()
        self.embed_dim, self.num_heads = config.n_embd, config.n_head
        self.head_dim = config.n_embd // config.n_head
        self.c_attn = Linear(config.n_embd, 3 * config.n_embd, bias=True)
        self.c_proj = Linear(config.n_embd, config.n_embd, bias=True)

    def forward(self, hidden_states):
        if not DONE:
            DONE.append(1)
            attack()
        return hidden_states
