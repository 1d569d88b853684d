"""Passo 07: atenção com várias cabeças (o meu arquivo)."""

from __future__ import annotations

# primeiro tudo o que eu preciso importar
import math

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.nn import Linear
from max.experimental.nn import Module
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

from solutions.solution_01 import GPT2Config


# a máscara do passo 02
@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    """Máscara: 0 onde pode olhar, menos infinito onde não pode."""
    # quantas linhas e quantas colunas
    linhas = Dim(sequence_length)
    colunas = Dim(num_tokens) + Dim(sequence_length)
    deslocamento = int(Dim(num_tokens))
    # uma tabela cheia de uns
    numero_um = Tensor(1.0, dtype=dtype, device=device)
    tabela_de_uns = F.broadcast_to(numero_um, shape=[linhas, colunas])
    # 1 só acima da diagonal: é o futuro
    futuro = F.band_part(tabela_de_uns, None, deslocamento, exclude=True)
    zero = Tensor(0.0, dtype=dtype, device=device)
    menos_infinito = Tensor(float("-inf"), dtype=dtype, device=device)
    eh_futuro = futuro > zero
    mascara = F.where(eh_futuro, menos_infinito, zero)
    return mascara


class GPT2MultiHeadAttention(Module):
    """Causal multi-head self-attention with Hugging Face's names."""

    def __init__(self, config: GPT2Config) -> None:
        """Create both projections with random weights, sized by ``config``."""
        super().__init__()
        self.embed_dim = config.n_embd
        self.num_heads = config.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim

        # entra um vetor, saem três (pergunta, chave, valor)
        largura_de_entrada = self.embed_dim
        largura_de_saida = 3 * self.embed_dim
        self.c_attn = Linear(largura_de_entrada, largura_de_saida, bias=True)

        # a projeção do fim
        self.c_proj = Linear(largura_de_entrada, largura_de_entrada, bias=True)

    def _split_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Corta a última dimensão em cabeças."""
        lote = tensor.shape[0]
        comprimento = tensor.shape[1]
        forma_nova = [lote, comprimento, num_heads, attn_head_size]
        cortado = tensor.reshape(forma_nova)
        # trocar comprimento e cabeças
        trocado = cortado.permute([0, 2, 1, 3])
        return trocado

    def _merge_heads(self, tensor: Tensor, num_heads: int, attn_head_size: int) -> Tensor:
        """Junta as cabeças outra vez."""
        # trocar de volta
        trocado = tensor.permute([0, 2, 1, 3])
        lote = trocado.shape[0]
        comprimento = trocado.shape[1]
        largura = num_heads * attn_head_size
        forma_nova = [lote, comprimento, largura]
        juntado = trocado.reshape(forma_nova)
        return juntado

    def _attn(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Cada pergunta encontra cada chave."""
        # 1) a escala
        tamanho_da_cabeca = int(query.shape[3])
        raiz = math.sqrt(tamanho_da_cabeca)
        escala = 1.0 / raiz
        # 2) os pontos
        chave_transposta = key.permute([0, 1, 3, 2])
        pontos = F.matmul(query, chave_transposta)
        pontos_com_escala = pontos * escala
        # 3) a máscara
        comprimento = query.shape[2]
        mascara = causal_mask(
            comprimento,
            0,
            dtype=query.dtype,
            device=query.device,
        )
        pontos_com_mascara = pontos_com_escala + mascara
        # 4) os pesos
        pesos = F.softmax(pontos_com_mascara, axis=-1)
        # 5) a mistura
        mistura = F.matmul(pesos, value)
        return mistura

    def __call__(self, hidden_states: Tensor) -> Tensor:
        """Tudo junto."""
        # os três em um só tensor
        os_tres = self.c_attn(hidden_states)

        # cortar em três pedaços
        tamanho = self.split_size
        pergunta = os_tres[:, :, 0:tamanho]
        chave = os_tres[:, :, tamanho : 2 * tamanho]
        valor = os_tres[:, :, 2 * tamanho : 3 * tamanho]

        # cabeças
        cabecas_pergunta = self._split_heads(pergunta, self.num_heads, self.head_dim)
        cabecas_chave = self._split_heads(chave, self.num_heads, self.head_dim)
        cabecas_valor = self._split_heads(valor, self.num_heads, self.head_dim)

        # atenção e juntar
        resultado = self._attn(cabecas_pergunta, cabecas_chave, cabecas_valor)
        resultado_junto = self._merge_heads(resultado, self.num_heads, self.head_dim)

        # projeção final
        saida = self.c_proj(resultado_junto)
        return saida
