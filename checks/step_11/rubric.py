"""The rubric of step 11: ``GPT2LMHeadModel`` and the weights of a checkpoint."""

from __future__ import annotations

from checks.shared import common, structure
from checks.shared.mistakes import named
from checks.step_11 import converted_weights, mistakes, raised_errors, refusals, trials
from grader.rubric import Check, Rubric, rules, source

MODEL, HEAD, CONVERT = "GPT2Model", "GPT2LMHeadModel", "convert_checkpoint"
LOGITS, CHECKPOINTS = ("logits-*",), ("checkpoint-*",)
INIT = f"{MODEL}.__init__"
KNOWN = named(mistakes.MODEL, mistakes.CHECKPOINT)


MODEL_SOURCE = (
    common.imports_functional("F.range numbers the positions.", "forward"),
    common.imports_tensor("Tensor is the type of the model's arguments.", "forward"),
    common.imports_layers(
        "An Embedding is a table, a ModuleList a list of layers.",
        "forward",
        names=("Embedding", "Module", "ModuleList"),
    ),
    Check(
        "classes",
        "GPT2Model and GPT2LMHeadModel classes exist",
        "GPT2Model and GPT2LMHeadModel classes are missing",
        "Define 'class GPT2Model(Module):' and 'class GPT2LMHeadModel(Module):'",
        "The grader builds GPT2LMHeadModel by its name.",
        lesson="What you build",
        answer="class GPT2LMHeadModel(Module):",
        test=source.every(
            source.defines_class(MODEL, "Module"), source.defines_class(HEAD, "Module")
        ),
    ),
    Check(
        "tables",
        "GPT2Model: self.wte and self.wpe are Embeddings",
        "GPT2Model: self.wte and self.wpe are not created correctly",
        "Use Embedding(number_of_rows, dim=config.n_embd) for each",
        "One row for every token, one for every position.",
        lesson="Two tables",
        test=source.every(
            source.stores(INIT, "wte", "Embedding(...)"),
            source.stores(INIT, "wpe", "Embedding(...)"),
        ),
    ),
    Check(
        "blocks",
        "GPT2Model: self.h is a ModuleList of config.n_layer blocks",
        "GPT2Model: self.h is not created correctly",
        "A ModuleList takes one list, with config.n_layer blocks, each a new one",
        "Each entry is a block of its own.",
        lesson="A stack of blocks",
        test=source.stores(INIT, "h", "GPT2Block(...)"),
    ),
    Check(
        "ln-f",
        "GPT2Model: self.ln_f is a LayerNorm with the configuration's epsilon",
        "GPT2Model: self.ln_f is not created correctly",
        "It is as wide as the vectors, and its eps is config's layer_norm_epsilon",
        "The stream of vectors is normalized once more at its end.",
        lesson="A stack of blocks",
        test=source.stores(INIT, "ln_f", structure.NORM),
    ),
    Check(
        "embed",
        "GPT2Model: token vectors and position vectors are added",
        "GPT2Model: token vectors and position vectors are not added",
        "Look up wte with the ids and wpe with the positions, and add the two",
        "Positions are 0, 1, 2, … up to the length of the text.",
        lesson="Two tables",
        gives="the vectors of tokens and positions",
        test=source.returns(
            source.call_of(MODEL),
            "self.wte(...) + self.wpe(...)",
            near="self.wte(...) | self.wpe(...)",
        ),
    ),
    Check(
        "call-ln-f",
        "GPT2Model: self.ln_f gives the result",
        "GPT2Model: self.ln_f does not give the result",
        "Normalize once, after the last block, and return the result",
        "It comes after the last block.",
        lesson="A stack of blocks",
        gives="the normalized vectors",
        test=source.returns(source.call_of(MODEL), "self.ln_f(...)"),
    ),
    Check(
        "transformer",
        "GPT2LMHeadModel: self.transformer is a GPT2Model",
        "GPT2LMHeadModel: self.transformer is not created correctly",
        "It is the model up to the last normalization, made from config",
        "Its name begins every weight's name: transformer.wte.weight and so on.",
        lesson="The names",
        test=source.stores(f"{HEAD}.__init__", "transformer", "GPT2Model(...)"),
    ),
    Check(
        "tied-head",
        "GPT2LMHeadModel: the table of tokens makes the logits",
        "GPT2LMHeadModel: the table of tokens does not make the logits",
        "A token's score is the dot product with its row of the table: @, and the table transposed",
        "The head has no weights of its own: it is tied to the table.",
        lesson="The tied head",
        gives="the logits",
        test=source.returns(source.call_of(HEAD), "_ @ _.weight", "_.weight @ _", near="_ @ _"),
    ),
    Check(
        "transpose",
        "convert_checkpoint: arrays are transposed with .T",
        "convert_checkpoint: arrays are not transposed",
        "Transpose those whose names end in one of TRANSPOSED",
        "Hugging Face keeps them as [in, out], MAX as [out, in].",
        lesson="The other way round",
        test=source.surely(
            source.mentions(
                CONVERT, "_.T", "_.mT", "_.transpose", "_.swapaxes", "_.moveaxis", "_.permute"
            ),
            CONVERT,
            there=True,
        ),
    ),
    common.placeholders(
        source.no_placeholders(MODEL, HEAD, CONVERT, "__init__", "__call__", "forward", "lm_head")
    ),
)

RUNTIME = (
    common.builds(
        HEAD,
        "GPT2LMHeadModel(GPT2Config()) must work, with any sizes",
        "Every size is in config.",
        lesson="Two tables",
        answer="self.transformer = GPT2Model(config), whose parts are wte, wpe, h and ln_f",
        rule=rules.builds(*LOGITS),
    ),
    Check(
        "parameters",
        "It has Hugging Face's parameters: transformer.wte, wpe, h.0, h.1, …, ln_f",
        "It does not have Hugging Face's parameters",
        "Attributes have the names of the weights, and each entry of h is a GPT2Block(config)",
        "The names of the attributes are the names of the weights.",
        lesson="The names",
        answer="wte and wpe are Embedding, h is ModuleList of config.n_layer GPT2Block, ln_f "
        "is LayerNorm",
        rule=rules.loads(*LOGITS),
        needs=("builds",),
    ),
    common.runs(
        HEAD,
        "__call__ takes ids [batch, seq] and returns logits [batch, seq, vocab_size]",
        "Tokens and positions are added, then come the blocks.",
        lesson="A stack of blocks",
        answer="self.wte(input_ids) + self.wpe(positions), each block in turn, self.ln_f, "
        "then the head",
        rule=rules.all_of(rules.runs(*LOGITS), rules.tensors(*LOGITS), rules.shapes(*LOGITS)),
        needs=("parameters",),
    ),
    Check(
        "logits",
        "The logits are GPT-2's",
        "The logits are not GPT-2's",
        "Compare each line with the lesson's drawing of the model",
        "Every block runs once, in its turn; then come ln_f and the head.",
        lesson="A stack of blocks",
        part=("logits", "call-blocks"),
        rule=rules.all_of(
            rules.placed(rules.numbers(*LOGITS, what="logits"), KNOWN, *LOGITS),
            rules.note("{count} models agree with float64.", *LOGITS),
        ),
        needs=("forward",),
    ),
    Check(
        "convert",
        "convert_checkpoint works, with and without transformer. in front of the names",
        "convert_checkpoint does not work",
        "It takes a model and a dictionary of arrays, and returns one dictionary of arrays",
        "Some checkpoints have transformer. in front of every name.",
        lesson="The names",
        blank="prefix",
        rule=rules.all_of(
            converted_weights.gives(
                raised_errors.converts(rules.runs(*CHECKPOINTS), *CHECKPOINTS), *CHECKPOINTS
            ),
            converted_weights.keeps_model("model-kept", *LOGITS),
        ),
        needs=("parameters", "forward"),
    ),
    Check(
        "checkpoint-logits",
        "A model with the weights of a checkpoint gives the right logits",
        "A model with the weights of a checkpoint gives wrong logits",
        "Transpose the four kinds of matrices in TRANSPOSED, and no others",
        "Hugging Face keeps four kinds of matrices as [in, out].",
        lesson="The other way round",
        blank="transpose",
        part=("transpose", "turned"),
        rule=rules.all_of(
            converted_weights.gives(
                rules.numbers(*CHECKPOINTS, what="logits with the weights of a checkpoint"),
                *CHECKPOINTS,
            ),
            converted_weights.loads(trials.LOADER),
        ),
        needs=("convert", "logits"),
    ),
    Check(
        "refuse-missing",
        "A checkpoint that lacks tensors is refused, and all are named",
        "Checkpoints that lack tensors are not all refused as they should be",
        "Every name in expected must have an array",
        "Names that got no array are left over.",
        lesson="Nothing left over",
        blank="missing",
        rule=refusals.refused("refuse-missing", "refuse-empty", "refuse-tied", "refuse-all"),
        needs=("convert",),
    ),
    Check(
        "refuse-unexpected",
        "A checkpoint with tensors that no parameter takes is refused, and they are named",
        "Checkpoints with tensors that no parameter takes are not all refused as they should be",
        "Every name in the checkpoint must be in expected",
        "An array that no parameter takes is a mistake too.",
        lesson="Nothing left over",
        blank="compare",
        rule=refusals.refused("refuse-unexpected", "refuse-elsewhere", refusals.OTHER),
        needs=("convert",),
    ),
    Check(
        "refuse-shape",
        "A checkpoint with tensors of the wrong shape is refused, and all are named",
        "Checkpoints with tensors of the wrong shape are not all refused as they should be",
        "Compare shapes after transposing, and collect the problems before raising",
        "Compare the transposed array with the parameter.",
        lesson="Nothing left over",
        answer="if array.shape != expected[name]: note both shapes, and raise once all are "
        "compared",
        rule=refusals.refused("refuse-shape", "refuse-turned", "refuse-deep"),
        needs=("convert",),
    ),
)

RUBRIC = Rubric(
    checks=(*MODEL_SOURCE, *RUNTIME),
    draw=trials.draw,
    misconceptions=KNOWN,
    result="logits",
    gives={"call-blocks": "the output of a block", "logits": "the logits"},
)
