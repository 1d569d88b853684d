import math
import numpy as np
from max.experimental import functional as F
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention


class RotaryEmbedding(Module):
    def __init__(self, d_k, max_seq_len, theta):
        super().__init__()
        filas_cos = []
        filas_sin = []
        for pos in range(max_seq_len):
            fila_c = []
            fila_s = []
            for par in range(d_k // 2):
                velocidad = 1.0 / theta ** (2 * par / d_k)
                angulo = pos * velocidad
                fila_c.append(math.cos(angulo))
                fila_s.append(math.sin(angulo))
            filas_cos.append(fila_c)
            filas_sin.append(fila_s)
        self.tabla_cos = np.array(filas_cos, dtype=np.float32)
        self.tabla_sin = np.array(filas_sin, dtype=np.float32)

    def buscar(self, tabla, posiciones, x):
        return F.gather(Tensor(tabla, dtype=x.dtype, device=x.device), posiciones, axis=0)

    def forward(self, x, token_positions):
        c = self.buscar(self.tabla_cos, token_positions, x)
        s = self.buscar(self.tabla_sin, token_positions, x)
        par, impar = x[..., ::2], x[..., 1::2]
        nuevo_par = par * c - impar * s
        nuevo_impar = impar * c + par * s
        juntos = F.stack([nuevo_par, nuevo_impar], axis=-1)
        return juntos.reshape(x.shape)


class MultiHeadSelfAttentionRoPE(Module):
    def __init__(self, d_model, num_heads, max_seq_len, theta):
        super().__init__()
        self.cabezas = num_heads
        self.ancho = d_model // num_heads
        self.giro = RotaryEmbedding(self.ancho, max_seq_len, theta)

    def repartir(self, x, pesos):
        y = x @ pesos.T
        y = y.reshape(x.shape[:-1] + [self.cabezas, self.ancho])
        return y.transpose(-2, -3)

    def forward(self, q_proj_weight, k_proj_weight, v_proj_weight, o_proj_weight, in_features, token_positions):
        preguntas, claves, valores = [
            self.repartir(in_features, w) for w in (q_proj_weight, k_proj_weight, v_proj_weight)
        ]
        donde = token_positions.unsqueeze(-2)
        preguntas = self.giro(preguntas, donde)
        claves = self.giro(claves, donde)
        largo = int(in_features.shape[-2])
        mascara = causal_mask(largo, 0, dtype=in_features.dtype, device=in_features.device)
        mezcla, pesos = scaled_dot_product_attention(preguntas, claves, valores, mascara)
        mezcla = mezcla.transpose(-2, -3)
        mezcla = mezcla.reshape(in_features.shape)
        return mezcla @ o_proj_weight.T
