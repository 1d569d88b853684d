"""Train the small GPT-2 that ships with the course: ``python -m tools.train_tiny``.

The text is Jane Austen's six novels, which are in the public domain: 4.0 MB of plain text, kept
here compressed. The tokenizer is a byte-level BPE of 2048 tokens learnt from it, the model a
GPT-2 of 1.28 million parameters. The result is a folder in Hugging Face's layout.

Needs torch, transformers, tokenizers and safetensors, which the course itself does not. One
core takes about 45 minutes. Not reproducible to the bit: torch's sums depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import lzma
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import ByteLevelBPETokenizer
from transformers import GPT2Config, GPT2LMHeadModel

ROOT = Path(__file__).resolve().parent.parent
TEXT = ROOT / "tools" / "austen.txt.xz"
END_OF_TEXT = "<|endoftext|>"


@dataclass(frozen=True)
class Recipe:
    """The sizes of the model and of its training."""

    vocab_size: int = 2048
    n_positions: int = 256
    n_embd: int = 128
    n_layer: int = 5
    n_head: int = 4
    batch: int = 8
    steps: int = 7000
    warmup: int = 100
    learning_rate: float = 2e-3
    dropout: float = 0.0
    held_out: float = 0.02


def read_text() -> str:
    """The training text; ``<|endoftext|>`` separates the novels."""
    return lzma.decompress(TEXT.read_bytes()).decode("utf-8")


def learn_tokens(text: str, recipe: Recipe, folder: Path) -> list[int]:
    """Learn the tokenizer, write ``vocab.json`` and ``merges.txt``, and encode the text.

    The end-of-text token is the last of the vocabulary, as in the real GPT-2.
    """
    tokenizer = ByteLevelBPETokenizer()
    novels = [novel.strip("\n") for novel in text.split(END_OF_TEXT)]
    tokenizer.train_from_iterator(novels, vocab_size=recipe.vocab_size - 1, show_progress=False)
    tokenizer.save_model(str(folder))
    end = recipe.vocab_size - 1
    vocab = dict(sorted(tokenizer.get_vocab().items(), key=lambda item: item[1]))
    vocab[END_OF_TEXT] = end
    (folder / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
    return [token for novel in novels for token in (*tokenizer.encode(novel + "\n").ids, end)]


def new_model(recipe: Recipe) -> GPT2LMHeadModel:
    """A GPT-2 with fresh weights."""
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=recipe.vocab_size,
            n_positions=recipe.n_positions,
            n_embd=recipe.n_embd,
            n_layer=recipe.n_layer,
            n_head=recipe.n_head,
            resid_pdrop=recipe.dropout,
            embd_pdrop=recipe.dropout,
            attn_pdrop=recipe.dropout,
            bos_token_id=recipe.vocab_size - 1,
            eos_token_id=recipe.vocab_size - 1,
        )
    )


def batches(tokens: torch.Tensor, recipe: Recipe, seed: int) -> Iterator[torch.Tensor]:
    """Endless random windows of the text: ``[batch, n_positions]``."""
    generator = torch.Generator().manual_seed(seed)
    window = torch.arange(recipe.n_positions)
    while True:
        starts = torch.randint(
            len(tokens) - recipe.n_positions, (recipe.batch, 1), generator=generator
        )
        yield tokens[starts + window]


def learning_rate(step: int, recipe: Recipe) -> float:
    """A linear warm-up, then half a cosine down to a thirtieth."""
    if step < recipe.warmup:
        return recipe.learning_rate * (step + 1) / recipe.warmup
    done = (step - recipe.warmup) / max(1, recipe.steps - recipe.warmup)
    return recipe.learning_rate * max(1 / 30, 0.5 * (1 + math.cos(math.pi * done)))


def optimizer_for(model: GPT2LMHeadModel, recipe: Recipe) -> torch.optim.AdamW:
    """AdamW; only matrices decay."""
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, betas=(0.9, 0.98))


def loss_of(model: GPT2LMHeadModel, tokens: torch.Tensor) -> torch.Tensor:
    """Mean negative log-probability of each next token, in nats."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(tokens[:, :-1], use_cache=False).logits  # [batch, seq, vocab]
    return torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten())


@torch.no_grad()
def held_out_loss(model: GPT2LMHeadModel, tokens: torch.Tensor, recipe: Recipe) -> float:
    """The loss on held-out text, in nats per token."""
    model.eval()
    windows = tokens[: len(tokens) // recipe.n_positions * recipe.n_positions]
    parts = windows.reshape(-1, recipe.n_positions).split(recipe.batch)
    total = sum(float(loss_of(model, part)) * len(part) for part in parts)
    model.train()
    return total / sum(len(part) for part in parts)


def save(model: GPT2LMHeadModel, folder: Path) -> None:
    """Write ``config.json`` and ``model.safetensors`` (float16, the tied head left out)."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        name: tensor.half().contiguous()
        for name, tensor in model.state_dict().items()
        if name != "lm_head.weight"
    }
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model.config.architectures = ["GPT2LMHeadModel"]
    model.config.save_pretrained(folder)


def train(recipe: Recipe, folder: Path, seed: int) -> None:
    """Train and save; from step 100 on, the folder has the newest state."""
    torch.manual_seed(seed)
    tokens = torch.tensor(learn_tokens(read_text(), recipe, folder))
    kept = int(len(tokens) * (1 - recipe.held_out))
    model = new_model(recipe)
    model.train()
    optimizer = optimizer_for(model, recipe)
    size = sum(p.numel() for p in model.parameters())
    print(f"{len(tokens):,} tokens, {size:,} parameters", flush=True)
    started = time.perf_counter()
    for step, batch in enumerate(batches(tokens[:kept], recipe, seed)):
        if step % 250 == 0 or step == recipe.steps:
            save(model, folder)
            held_out = held_out_loss(model, tokens[kept:], recipe)
            minutes = (time.perf_counter() - started) / 60
            print(f"step {step}: held-out loss {held_out:.3f}, {minutes:.1f} min", flush=True)
        if step == recipe.steps:
            return
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, recipe)
        loss = loss_of(model, batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=ROOT / "gpt2" / "tiny")
    parser.add_argument("--steps", type=int, default=Recipe.steps)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1, help="processor cores to use")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    train(Recipe(steps=options.steps), options.out, options.seed)


if __name__ == "__main__":
    main()
