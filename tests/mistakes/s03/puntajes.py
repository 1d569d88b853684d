import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def _puntajes(consulta, clave):
    ancho = int(consulta.shape[-1])
    clave_t = F.transpose(clave, -2, -1)
    return F.matmul(consulta, clave_t) * ancho ** -0.5


def _ocultar(puntajes, mascara):
    if mascara is None:
        return puntajes
    return puntajes + mascara


def scaled_dot_product_attention(query, key, value, mask=None):
    puntajes = _ocultar(_puntajes(query, key), mask)
    pesos = F.softmax(puntajes, axis=-1)
    return F.matmul(pesos, value), pesos
