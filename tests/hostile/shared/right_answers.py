# What several attacks begin with: a right layer in NumPy, and the way to the worker's own sender.
import sys
import time

import numpy as np


def split(x, heads):
    return x.reshape(*x.shape[:2], heads, -1).transpose(0, 2, 1, 3)  # [batch, head, seq, head_dim]


def merge(x):
    return x.transpose(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], -1)  # [batch, seq, width]


def attend(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def layer(x, w, heads):
    q, k, v = (split(p, heads) for p in np.split(x @ w["c_attn.weight"].T + w["c_attn.bias"], 3, -1))
    return merge(attend(q, k, v)) @ w["c_proj.weight"].T + w["c_proj.bias"]


def worker():
    """The frame in which the grader's worker talks."""
    frame = sys._getframe()
    while "frames" not in frame.f_locals:
        frame = frame.f_back
    return frame


def answer(probe, seen):
    """What a right class would have given for each action."""
    results, weights, heads = {}, {}, 1
    for action in probe.actions:
        kind = type(action).__name__
        if kind == "Make":
            (config,) = action.args
            heads, width = config.fields["n_head"], config.fields["n_embd"]
            shapes = {"c_attn.weight": (3 * width, width), "c_attn.bias": (3 * width,),
                      "c_proj.weight": (width, width), "c_proj.bias": (width,)}
            shapes = {name: seen.SeenParameter(shape, "float32") for name, shape in shapes.items()}
            one = seen.SeenModule(action.target, True, shapes, {"c_attn": "Linear", "c_proj": "Linear"})
        elif kind == "Load":
            one = None
            weights = {n: a.astype(float) * action.steps.get(n, 1.0) for n, a in action.weights.items()}
        elif kind == "Read":
            values = {"embed_dim": width, "num_heads": heads, "head_dim": width // heads, "split_size": width}
            one = {name: values[name] for name in action.attributes}
        else:
            x = action.args[0].array.astype(float)
            match action.method:
                case "_split_heads":
                    y = split(x, action.args[1])
                case "_merge_heads":
                    y = merge(x)
                case "_attn":
                    y = attend(*(arg.array.astype(float) for arg in action.args))
                case _:
                    y = layer(x, weights, heads)
            one = seen.SeenTensor(y.astype(np.float32), "float32")
        results[action.name] = one
    return results


def take_over():
    """Answer every question with the worker's own tools, and never give the word back."""
    frame = worker()
    tools, frames = frame.f_globals, frame.f_locals["frames"]
    send, wire, seen = tools["send"], tools["wire"], tools["probes"].language
    print("tried", flush=True)
    send(tools["Loaded"](None))
    while (ask := wire.decode_ask(*next(frames))).probe is not None:
        send(seen.Observation(ask.probe.name, answer(ask.probe, seen), token=ask.token))
    send(tools["Done"]((), (), ask.token))
    time.sleep(60)
