"""The rubric of step 11: ``GPT2LMHeadModel`` and the weights of a checkpoint."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from checks.shared import results_gpt2, structure
from checks.shared.mistakes import named
from checks.step_11 import mistakes, trials
from grader.rubric import (
    Rubric,
    Trial,
    call_of,
    defines_class,
    every,
    imports,
    mentions,
    no_placeholders,
    returns,
    rules,
    runtime_check,
    source_check,
    stores,
    surely,
)

MODEL, HEAD, CONVERT = "GPT2Model", "GPT2LMHeadModel", "convert_checkpoint"
LOGITS, CHECKPOINTS = ("logits-*",), ("checkpoint-*",)
INIT = f"{MODEL}.__init__"


def draw(rng: np.random.Generator) -> Iterable[Trial]:
    """Small models, and checkpoints that fit them or do not."""
    return trials.draw(rng)


MODEL_SOURCE = (
    source_check(
        "import-functional",
        "functional module is imported as F from max.experimental",
        "functional module is not imported from max.experimental",
        "Add 'from max.experimental import functional as F'",
        'F.range numbers the positions. See "MAX operations".',
        "from max.experimental import functional as F",
        test=structure.IMPORTS_F,
        proven_by=("forward",),
    ),
    source_check(
        "import-tensor",
        "Tensor is imported from max.experimental.tensor",
        "Tensor is not imported from max.experimental.tensor",
        "Add 'from max.experimental.tensor import Tensor'",
        'Tensor is the type of the model\'s arguments. See "MAX operations".',
        "from max.experimental.tensor import Tensor",
        test=structure.IMPORTS_TENSOR,
        proven_by=("forward",),
    ),
    source_check(
        "import-nn",
        "Embedding, Module and ModuleList are imported from max.experimental.nn",
        "Embedding, Module and ModuleList are not imported from max.experimental.nn",
        "Add 'from max.experimental.nn import Embedding, Module, ModuleList'",
        'An Embedding is a table, a ModuleList a list of layers. See "MAX operations".',
        "from max.experimental.nn import Embedding, Module, ModuleList",
        test=imports(
            *(f"max.experimental.nn.{name}" for name in ("Embedding", "Module", "ModuleList"))
        ),
        proven_by=("forward",),
    ),
    source_check(
        "classes",
        "GPT2Model and GPT2LMHeadModel classes exist",
        "GPT2Model and GPT2LMHeadModel classes are missing",
        "Define 'class GPT2Model(Module):' and 'class GPT2LMHeadModel(Module):'",
        "The grader builds GPT2LMHeadModel by its name.",
        "class GPT2LMHeadModel(Module):",
        test=every(defines_class(MODEL, "Module"), defines_class(HEAD, "Module")),
    ),
    source_check(
        "tables",
        "GPT2Model: self.wte and self.wpe are Embeddings",
        "GPT2Model: self.wte and self.wpe are not created correctly",
        "Use Embedding(number_of_rows, dim=config.n_embd) for each",
        'One row for every token, one for every position. See "Two tables".',
        "self.wte = Embedding(config.vocab_size, dim=config.n_embd)",
        test=every(
            stores(INIT, "wte", "Embedding(...)"),
            stores(INIT, "wpe", "Embedding(...)"),
        ),
    ),
    source_check(
        "blocks",
        "GPT2Model: self.h is a ModuleList of config.n_layer blocks",
        "GPT2Model: self.h is not created correctly",
        "Use ModuleList([GPT2Block(config) for _ in range(config.n_layer)])",
        'Each entry is a block of its own. See "A stack of blocks".',
        "self.h = ModuleList([GPT2Block(config) for _ in range(config.n_layer)])",
        test=stores(INIT, "h", "GPT2Block(...)"),
    ),
    source_check(
        "ln-f",
        "GPT2Model: self.ln_f is a LayerNorm with the configuration's epsilon",
        "GPT2Model: self.ln_f is not created correctly",
        "Use LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)",
        'The stream of vectors is normalized once more at its end. See "A stack of blocks".',
        "self.ln_f = LayerNorm(config.n_embd, eps=config.layer_norm_epsilon)",
        test=stores(INIT, "ln_f", structure.NORM),
    ),
    source_check(
        "embed",
        "GPT2Model: token vectors and position vectors are added",
        "GPT2Model: token vectors and position vectors are not added",
        "Add self.wte(input_ids) and self.wpe(positions)",
        'Positions are 0, 1, 2, … up to the length of the text. See "Two tables".',
        "hidden_states = self.wte(input_ids) + self.wpe(positions)",
        test=returns(
            call_of(MODEL),
            "self.wte(...) + self.wpe(...)",
            near="self.wte(...) | self.wpe(...)",
        ),
    ),
    source_check(
        "call-ln-f",
        "GPT2Model: self.ln_f gives the result",
        "GPT2Model: self.ln_f does not give the result",
        "Return self.ln_f(hidden_states)",
        'It comes after the last block. See "A stack of blocks".',
        "return self.ln_f(hidden_states)",
        test=returns(call_of(MODEL), "self.ln_f(...)"),
    ),
    source_check(
        "transformer",
        "GPT2LMHeadModel: self.transformer is a GPT2Model",
        "GPT2LMHeadModel: self.transformer is not created correctly",
        "Use GPT2Model(config)",
        "Its name begins every weight's name: transformer.wte.weight and so on.",
        "self.transformer = GPT2Model(config)",
        test=stores(f"{HEAD}.__init__", "transformer", "GPT2Model(...)"),
    ),
    source_check(
        "tied-head",
        "GPT2LMHeadModel: the table of tokens makes the logits",
        "GPT2LMHeadModel: the table of tokens does not make the logits",
        "Use hidden_states @ self.transformer.wte.weight.T",
        'The head has no weights of its own: it is tied to the table. See "The tied head".',
        "return hidden_states @ self.transformer.wte.weight.T",
        test=returns(call_of(HEAD), "_ @ _.weight", "_.weight @ _", near="_ @ _"),
    ),
    source_check(
        "transpose",
        "convert_checkpoint: arrays are turned with .T",
        "convert_checkpoint: arrays are not turned",
        "Turn those whose names end in one of TRANSPOSED",
        'Hugging Face keeps them as [in, out], MAX as [out, in]. See "The other way round".',
        "array = stored.T if name.endswith(TRANSPOSED) else stored",
        test=surely(
            mentions(
                CONVERT, "_.T", "_.mT", "_.transpose", "_.swapaxes", "_.moveaxis", "_.permute"
            ),
            CONVERT,
            there=True,
        ),
    ),
    source_check(
        "placeholders",
        "All placeholder 'None' values have been replaced",
        "Found placeholder 'None' values that need to be replaced:",
        "Replace all 'None' values with the actual implementation",
        "Each stands under a TODO.",
        "Search the file for None.",
        test=no_placeholders(MODEL, HEAD, CONVERT, "__init__", "__call__", "forward", "lm_head"),
    ),
)

RUNTIME = (
    runtime_check(
        "builds",
        "GPT2LMHeadModel class can be instantiated",
        "GPT2LMHeadModel class cannot be instantiated",
        "GPT2LMHeadModel(GPT2Config()) must work, with any sizes",
        'Every size is in config. See "Two tables".',
        "self.transformer = GPT2Model(config), whose parts are wte, wpe, h and ln_f",
        rule=rules.builds(*LOGITS),
    ),
    runtime_check(
        "parameters",
        "It has Hugging Face's parameters: transformer.wte, wpe, h.0, h.1, …, ln_f",
        "It does not have Hugging Face's parameters",
        "The names of the attributes are the names of the weights; the head has none",
        'The names of the attributes are the names of the weights. See "The names".',
        "wte and wpe are Embedding, h is ModuleList of config.n_layer GPT2Block, ln_f is LayerNorm",
        rule=rules.loads(*LOGITS),
        needs=("builds",),
    ),
    runtime_check(
        "forward",
        "GPT2LMHeadModel forward pass executes without errors",
        "GPT2LMHeadModel forward pass does not work",
        "__call__ takes ids [batch, seq] and returns logits [batch, seq, vocab_size]",
        'Tokens and positions are added, then come the blocks. See "A stack of blocks".',
        "self.wte(input_ids) + self.wpe(positions), each block in turn, self.ln_f, then the head",
        rule=rules.all_of(rules.runs(*LOGITS), rules.tensors(*LOGITS), rules.shapes(*LOGITS)),
        needs=("parameters",),
    ),
    runtime_check(
        "logits",
        "The logits are GPT-2's",
        "The logits are not GPT-2's",
        "Compare each line with the lesson's picture of the model",
        'The head is the table of tokens once more. See "The tied head".',
        "return hidden_states @ self.transformer.wte.weight.T",
        rule=rules.all_of(
            rules.numbers(*LOGITS, what="logits"),
            rules.note("{count} models, compared with float64.", *LOGITS),
        ),
        needs=("forward",),
    ),
    runtime_check(
        "convert",
        "convert_checkpoint works, with and without transformer. in front of the names",
        "convert_checkpoint does not work",
        "It takes a model and a dictionary of arrays, and returns one dictionary of arrays",
        'Some checkpoints have transformer. in front of every name. See "The names".',
        'name = key if key.startswith("transformer.") else f"transformer.{key}"',
        rule=rules.runs(*CHECKPOINTS),
        needs=("parameters",),
    ),
    runtime_check(
        "checkpoint-logits",
        "A model with the weights of a checkpoint gives the right logits",
        "A model with the weights of a checkpoint gives wrong logits",
        "Turn the four kinds of matrices in TRANSPOSED, and no others",
        'Hugging Face keeps four kinds of matrices as [in, out]. See "The other way round".',
        "array = stored.T if name.endswith(TRANSPOSED) else stored",
        rule=rules.numbers(*CHECKPOINTS, what="logits with the weights of a checkpoint"),
        needs=("convert", "logits"),
    ),
    runtime_check(
        "refuse-missing",
        "A checkpoint that lacks tensors is refused, and all are named",
        "A checkpoint that lacks tensors is not refused as it should be",
        "Every name in expected must have got an array",
        'Names that got no array are left over. See "Nothing left over".',
        'problems += [f"missing: {name}" for name in expected if name not in weights]',
        rule=results_gpt2.refuses(trials.refused("refuse-missing"), "weights"),
        needs=("convert",),
    ),
    runtime_check(
        "refuse-unexpected",
        "A checkpoint with tensors that no parameter takes is refused, and they are named",
        "A checkpoint with tensors that no parameter takes is not refused as it should be",
        "Every name in the checkpoint must be in expected",
        'An array that no parameter takes is a mistake too. See "Nothing left over".',
        'if name not in expected: problems.append(f"unexpected: {name}")',
        rule=results_gpt2.refuses(trials.refused("refuse-unexpected"), "weights"),
        needs=("convert",),
    ),
    runtime_check(
        "refuse-shape",
        "A checkpoint with tensors of another shape is refused, and all are named",
        "A checkpoint with tensors of another shape is not refused as it should be",
        "Compare shapes after turning, and collect the problems before raising",
        'Compare the turned array with the parameter. See "Nothing left over".',
        "if array.shape != expected[name]: note both shapes, and raise when all are looked at",
        rule=results_gpt2.refuses(trials.refused("refuse-shape"), "weights"),
        needs=("convert",),
    ),
)

BLAMES = {
    "embed": ("embed", "logits"),
    "blocks": ("blocks", "logits"),
    "ln_f": ("call-ln-f", "logits"),
    "head": ("tied-head", "logits"),
    "turned": ("transpose", "checkpoint-logits"),
}

LESSON = {
    "embed": "Two tables",
    "blocks": "A stack of blocks",
    "ln_f": "A stack of blocks",
    "head": "The tied head",
    "turned": "The other way round",
}

RUBRIC = Rubric(
    checks=(*MODEL_SOURCE, *RUNTIME),
    draw=draw,
    misconceptions=(
        *named(mistakes.MODEL, BLAMES, LESSON),
        *named(mistakes.CHECKPOINT, BLAMES, LESSON),
    ),
)
