# concept: norm-after-sublayer
# check: residual, residual-numbers
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor


class LayerNorm(Module):
    def __init__(self, breite, eps=1e-5):
        super().__init__()
        self.klein = eps
        self.weight = Tensor.ones([breite])
        self.bias = Tensor.zeros([breite])

    def __call__(self, eingabe):
        mittel = eingabe.mean(axis=-1)
        abstand = eingabe - mittel
        streuung = (abstand * abstand).mean(axis=-1)
        return abstand / F.sqrt(streuung + self.klein) * self.weight + self.bias


def residual(eingabe, norm, schicht):
    return eingabe + norm(schicht(eingabe))
