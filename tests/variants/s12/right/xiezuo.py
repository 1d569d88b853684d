"""Di shi'er bu: yong shengchengqi song fen, yong digui shengyu cishu."""
from __future__ import annotations
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import partial
import numpy as np
import numpy.typing as npt
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from solutions.solution_02 import causal_mask
from solutions.solution_03 import scaled_dot_product_attention
from solutions.solution_05 import GPT2Attention
from solutions.solution_11 import GPT2LMHeadModel
KeyValue = tuple[Tensor, Tensor]; Cache = tuple[KeyValue, ...]
FUWUQIONG = -np.inf
class GPT2WithCache(GPT2LMHeadModel):
    def _attend(self, attn: GPT2Attention, hidden_states: Tensor, past: KeyValue | None) -> tuple[Tensor, KeyValue]:
        fenkai = partial(
            attn._split_heads, num_heads=attn.num_heads, attn_head_size=attn.head_dim
        )
        san = attn.c_attn(hidden_states).split([attn.split_size] * 3, axis=-1)
        wen, xin_jian, xin_zhi = (fenkai(yi) for yi in san)
        jian, zhi = xin_jian, xin_zhi
        guoqu = 0
        if not past is None:
            lao_jian, lao_zhi = past
            jian = F.concat([lao_jian, xin_jian], axis=-2)
            zhi = F.concat([lao_zhi, xin_zhi], axis=-2)
            guoqu = lao_zhi.shape[-2]
        yige = wen.shape[-2] == 1
        yanma = None
        if not yige:
            yanma = causal_mask(wen.shape[-2], guoqu, dtype=jian.dtype, device=jian.device)
        jieguo, _ = scaled_dot_product_attention(
            value=zhi, key=jian, query=wen, mask=yanma
        )
        return attn.c_proj(attn._merge_heads(jieguo, attn.num_heads, attn.head_dim)), (jian, zhi)
    def decode(self, input_ids: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        zhu = self.transformer
        jiu = list(cache or [])
        qidian = jiu[0][0].shape[-2] if jiu else 0
        changdu = input_ids.shape[-1]
        weizhi = F.range(
            qidian, qidian + changdu, out_dim=changdu, dtype=DType.int64, device=input_ids.device
        )
        liu = F.add(zhu.wte(input_ids), zhu.wpe(weizhi))
        xin: list[KeyValue] = []
        for i in range(len(zhu.h)):
            kuai = zhu.h[i]
            jia, dui = self._attend(kuai.attn, kuai.ln_1(liu), jiu[i] if jiu else None)
            liu = jia + liu
            liu = kuai.mlp(kuai.ln_2(liu)) + liu
            xin += [dui]
        fenshu = self.lm_head(zhu.ln_f(liu))
        return (fenshu, tuple(xin))
def next_token(
    logits: npt.NDArray[np.floating], *,
    temperature: float = 0.0, top_k: int | None = None, draw: float = 0.0,
) -> int:
    """Gailü zai log li suan."""
    if 0 == temperature:
        return np.argmax(logits).item()
    a = logits.astype(np.float64) / temperature
    if top_k is not None and top_k < a.size:
        menkan = np.sort(a)[::-1][top_k - 1]
        new_a = np.full_like(a, FUWUQIONG)
        new_a[a >= menkan] = a[a >= menkan]
        a = new_a
    b = a - np.max(a)
    new_b = b - np.log(np.exp(b).sum())
    jie = np.cumsum(np.exp(new_b))
    jie /= jie[-1]
    return int(np.argmax(jie > draw))
def _pingfen(model: GPT2WithCache, use_cache: bool) -> Generator[npt.NDArray, list[int], None]:
    """Shou wenzi, gei zuihou yi ge weizhi de fenshu."""
    cache: Cache | None = None
    text = yield np.empty(0)
    while True:
        xin = text if cache is None else text[-1:]
        ids = Tensor([xin], dtype=DType.int64)
        with F.lazy():
            if use_cache:
                logits, cache = model.decode(ids, cache)
            else:
                logits = model(ids)
        text = yield logits.to_numpy()[0, -1]
def stream(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, *,
    temperature: float = 0.0, top_k: int | None = None, eos_token_id: int | None = None,
    use_cache: bool = True, draws: Iterable[float] | None = None,
) -> Iterator[int]:
    numbers = iter(np.random.default_rng().random, None) if draws is None else iter(draws)
    text = list(tokens)
    pingfen = _pingfen(model, use_cache)
    next(pingfen)
    shengyu = min(max_new_tokens, model.config.n_positions - len(text))
    while shengyu > 0:
        shengyu -= 1
        logits = pingfen.send(text)
        draw = 0.0
        if temperature > 0:
            draw = next(numbers)
        token = next_token(logits, temperature=temperature, top_k=top_k, draw=draw)
        text.append(token)
        yield token
        if token == eos_token_id:
            shengyu = 0
def generate(
    model: GPT2WithCache, tokens: Sequence[int], max_new_tokens: int, *,
    temperature: float = 0.0, top_k: int | None = None, eos_token_id: int | None = None,
    use_cache: bool = True, draws: Iterable[float] | None = None,
) -> list[int]:
    written = stream(
        model, tokens, max_new_tokens, temperature=temperature, top_k=top_k,
        eos_token_id=eos_token_id, use_cache=use_cache, draws=draws,
    )
    return [*tokens, *written]
