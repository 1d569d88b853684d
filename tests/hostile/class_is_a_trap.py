# Tries: a module that is replaced by a class whose every attribute is a trap.
# Holds: Only the real type and the bytes of a value count.
# Verdict: fail
# Says: tried
from max.experimental.nn import Linear, Module

READY = []

class Trap(type(Module)):
    def __call__(cls, *a, **k):
        print("tried", flush=True)
        return Trapped
    def __getattribute__(cls, name):
        if READY: raise SystemExit(name)
        return super().__getattribute__(name)
class Trapped(Module, metaclass=Trap): pass
READY.append(1)


GPT2Attention = Trapped
