"""Whether a file is right as an answer to step 07: see :mod:`tests.graded.direct`."""

from __future__ import annotations

from tests.graded.trial_05 import layer

trial = layer("GPT2MultiHeadAttention")
