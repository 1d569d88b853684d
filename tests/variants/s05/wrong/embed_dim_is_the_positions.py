# concept: c-attn-shape
# check: c-attn, c-attn-shape, embed-dim
import math

from max.experimental import functional as F
from max.experimental.nn import Linear, Module
from max.experimental.tensor import Tensor

from solutions.solution_01 import GPT2Config
from solutions.solution_02 import causal_mask


class GPT2Attention(Module):
    """Mehrköpfige Aufmerksamkeit."""

    def __init__(self, konfiguration: GPT2Config):
        super().__init__()
        self.embed_dim = konfiguration.n_positions
        self.num_heads = konfiguration.n_head
        self.head_dim = self.embed_dim // self.num_heads
        self.split_size = self.embed_dim

        # Projektionen
        self.c_attn = Linear(self.embed_dim, 3 * self.embed_dim, bias=True)
        self.c_proj = Linear(self.embed_dim, self.embed_dim, bias=True)

    def _split_heads(self, tensor, anzahl_köpfe, kopfgröße):
        """Köpfe nach vorne."""
        neue_form = tensor.shape[:-1] + [anzahl_köpfe, kopfgröße]
        return tensor.reshape(neue_form).transpose(-3, -2)

    def _merge_heads(self, tensor, anzahl_köpfe, kopfgröße):
        """Köpfe zusammenfügen."""
        tensor = tensor.transpose(-3, -2)
        neue_form = tensor.shape[:-2] + [anzahl_köpfe * kopfgröße]
        return tensor.reshape(neue_form)

    def _attn(self, abfrage, schlüssel, wert):
        gewichte = abfrage @ schlüssel.transpose(-1, -2)
        gewichte = gewichte / math.sqrt(int(wert.shape[-1]))
        länge = abfrage.shape[-2]
        maske = causal_mask(länge, 0, dtype=abfrage.dtype, device=abfrage.device)
        gewichte = F.softmax(gewichte + maske)
        return gewichte @ wert

    def __call__(self, eingabe):
        größe = self.split_size
        abfrage, schlüssel, wert = F.split(self.c_attn(eingabe), [größe, größe, größe], axis=2)
        abfrage = self._split_heads(abfrage, self.num_heads, self.head_dim)
        schlüssel = self._split_heads(schlüssel, self.num_heads, self.head_dim)
        wert = self._split_heads(wert, self.num_heads, self.head_dim)
        ausgabe = self._attn(abfrage, schlüssel, wert)
        ausgabe = self._merge_heads(ausgabe, self.num_heads, self.head_dim)
        return self.c_proj(ausgabe)
