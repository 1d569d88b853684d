import math

from max.experimental import functional as F
from max.experimental.tensor import Tensor


def puntuar(consulta, clave):
    """Cada consulta con cada clave."""
    ancho = int(consulta.shape[-1])
    giro = F.transpose(clave, -1, -2)
    return F.matmul(consulta, giro) * (1.0 / math.sqrt(ancho))


def normalizar(puntos):
    maximo = F.max(puntos, axis=-1)
    potencias = F.exp(puntos - maximo)
    total = F.sum(potencias, axis=-1)
    return potencias / total


def scaled_dot_product_attention(consulta, clave, valor, mask=None):
    puntos = puntuar(consulta, clave)
    if mask is not None:
        puntos = F.add(puntos, mask)
    pesos = normalizar(puntos)
    salida = F.matmul(pesos, valor)
    return salida, pesos
