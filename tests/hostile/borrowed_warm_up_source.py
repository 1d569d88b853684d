# Tries: to read the grader's warm-up from the disk and to run it with other sizes.
# Holds: What can be read there computes nothing that a step asks for.
# Verdict: fail
# Says: tried
import sys

from max.experimental.nn import Linear, Module


def source():
    """The text of the module that the grader warms MAX up with."""
    frame = sys._getframe()
    while frame:
        file = frame.f_code.co_filename
        if file.endswith("grader/worker/job_loop.py"):
            return open(file.replace("worker/job_loop.py", "frameworks/max/warm.py")).read()
        frame = frame.f_back


text = source()
names = {}
exec(text, names)
layers = [one for one in names.values() if isinstance(one, type) and issubclass(one, Module) and one is not Module and one is not Linear]
print("tried", len(layers), flush=True)


class GPT2Attention(layers[0]):
    def __init__(self, config):
        names["WIDTH"], names["HEADS"] = config.n_embd, config.n_head
        super().__init__()
        self.embed_dim = self.split_size = config.n_embd
        self.num_heads, self.head_dim = config.n_head, config.n_embd // config.n_head

    def forward(self, x):
        names["LENGTH"] = int(x.shape[1])
        return super().forward(x)
