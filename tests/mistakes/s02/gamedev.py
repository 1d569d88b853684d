"""Step 02, causal mask: a visibility map. Fog (-inf) over the future, clear (0) elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from max.driver import Device
from max.dtype import DType
from max.experimental import functional as F
from max.experimental.tensor import Tensor
from max.graph import Dim, DimLike

FOG = float("-inf")


@dataclass(frozen=True)
class MapSize:
    """Size of the map: one row per viewer, one column per thing that may be seen."""

    viewers: Dim
    past: Dim

    @classmethod
    def make(cls, sequence_length: DimLike, num_tokens: DimLike) -> MapSize:
        return cls(viewers=Dim(sequence_length), past=Dim(num_tokens))

    @property
    def width(self) -> Dim:
        return self.past + self.viewers

    @property
    def shape(self) -> tuple[Dim, Dim]:
        return (self.viewers, self.width)

    def reach(self) -> int:
        """How far right of the diagonal a viewer can see."""
        return int(self.past)


@F.functional
def causal_mask(
    sequence_length: DimLike,
    num_tokens: DimLike,
    *,
    dtype: DType,
    device: Device,
) -> Tensor:
    size = MapSize.make(sequence_length, num_tokens)

    # Start with fog everywhere ...
    fog = F.constant(FOG, dtype, device)
    fog_map = F.broadcast_to(fog, size.shape)

    # ... then clear what each viewer can see.
    fog_map = F.band_part(fog_map, None, size.reach(), exclude=True)
    return fog_map
