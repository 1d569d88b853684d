from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike
import math


@F.functional
def causal_mask(sequence_length: DimLike, num_tokens: DimLike, *, dtype: DType, device: Device) -> Tensor:
    linhas = sequence_length
    colunas = Dim(sequence_length) + num_tokens
    menos_infinito = Tensor(float("-inf"), dtype=dtype, device=device)
    cheia = F.broadcast_to(menos_infinito, shape=(linhas, colunas))
    anteriores = int(Dim(num_tokens))
    return F.band_part(cheia, num_lower=None, num_upper=anteriores, exclude=True)


class GPT2MultiHeadAttention(Module):
    def __init__(self, config):
        super().__init__()
        self.n_embd = config.n_embd
        self.n_head = config.n_head
        self.head_dim = self.n_embd // self.n_head
        self.scale = 1 / math.sqrt(self.head_dim)
        self.c_attn = Linear(self.n_embd, 3 * self.n_embd, bias=True)
        self.c_proj = Linear(self.n_embd, self.n_embd, bias=True)

    def _dividir(self, x, inicio):
        lote, tamanho = x.shape[0], x.shape[1]
        parte = x[:, :, inicio : inicio + self.n_embd]
        parte = parte.reshape([lote, tamanho, self.n_head, self.head_dim])
        return parte.permute([0, 2, 1, 3])

    def __call__(self, hidden_states):
        projetado = self.c_attn(hidden_states)
        consulta = self._dividir(projetado, 0)
        chave = self._dividir(projetado, self.n_embd)
        valor = self._dividir(projetado, 2 * self.n_embd)
        pontos = (consulta @ chave.permute([0, 1, 3, 2])) * self.scale
        tamanho = pontos.shape[-1]
        pontos += causal_mask(tamanho, 0, dtype=pontos.dtype, device=pontos.device)
        pesos = F.softmax(pontos)
        contexto = (pesos @ valor).permute([0, 2, 1, 3])
        contexto = contexto.reshape([contexto.shape[0], contexto.shape[1], self.n_embd])
        return self.c_proj(contexto)
