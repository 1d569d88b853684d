// The small GPT-2 of the course: its tokenizer and its computation, on core.js. model.js has the weights.
"use strict";

globalThis.gpt2 = (() => {
  const { dot, softmax, rotate, layerNorm } = core;
  const TRAINED = { mask: true, scale: true, positions: true, rotation: false, cache: false };
  const BLANK = "·"; // stands for the blank that a token begins with

  const HERE = document.currentScript?.src;
  let given; // what model.js says
  let ready;

  // ---- weights ----------------------------------------------------------------------------------

  // Five letters of the 85 from "#" on, without the backslash, are four bytes.
  function bytes(text) {
    const found = new Uint8Array((text.length / 5) * 4);
    const view = new DataView(found.buffer);
    for (let at = 0, to = 0; at < text.length; at += 5, to += 4) {
      let word = 0;
      for (let i = 0; i < 5; i++) {
        const code = text.charCodeAt(at + i);
        word = word * 85 + code - (code > 92 ? 36 : 35);
      }
      view.setUint32(to, word);
    }
    return found;
  }

  async function unpacked(text, length) {
    const stream = new Blob([bytes(text).subarray(0, length)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  function half(high, low) {
    const exponent = (high >> 2) & 31;
    const fraction = ((high & 3) << 8) | low;
    const size = exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -24 * fraction;
    return high & 128 ? -size : size;
  }

  // Every array by its name: rows of numbers, or one row.
  function arrays(data, shapes) {
    const count = data.length / 2; // all upper bytes, then all lower ones
    const table = Float32Array.from({ length: 65536 }, (_, word) => half(word >> 8, word & 255));
    const numbers = Float32Array.from({ length: count }, (_, i) => table[(data[i] << 8) | data[count + i]]);
    const found = {};
    let at = 0;
    for (const [name, [rows, columns]] of Object.entries(shapes)) {
      const part = (row) => numbers.subarray(at + row * columns, at + (row + 1) * columns);
      found[name] = rows === null ? part(0) : core.range(rows).map(part);
      at += (rows ?? 1) * columns;
    }
    return found;
  }

  globalThis.gpt2Model = (model) => (given = model);

  function load() {
    ready ??= new Promise((done, failed) => {
      if (given) return done(); // the script is part of the page
      const script = document.createElement("script");
      script.src = new URL("model.js", HERE);
      script.onload = done;
      script.onerror = () => failed(new Error("The model is missing from the book."));
      document.head.append(script);
    }).then(async () => {
      const model = arrays(await unpacked(given.weights, given.length), given.shapes);
      return { config: given.config, texts: given.texts, model, tokenizer: tokenizer(given.vocabulary, given.merges) };
    });
    return ready;
  }

  // ---- tokenizer --------------------------------------------------------------------------------

  const WORD = /'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

  function letters() {
    const printable = [...core.range(94).map((i) => i + 33), ...core.range(12).map((i) => i + 161), ...core.range(82).map((i) => i + 174)];
    const others = core.range(256).filter((byte) => !printable.includes(byte));
    return core.range(256).map((byte) => String.fromCharCode(printable.includes(byte) ? byte : 256 + others.indexOf(byte)));
  }

  function tokenizer(vocabulary, merges) {
    const letter = letters();
    const byte = new Map(letter.map((one, index) => [one, index]));
    const ids = new Map(vocabulary.map((token, id) => [token, id]));
    const ranks = new Map(merges.map((pair, rank) => [pair, rank]));
    const merged = (word) => {
      let pieces = Array.from(new TextEncoder().encode(word), (one) => letter[one]);
      for (;;) {
        const ranked = pieces.slice(1).map((piece, i) => ranks.get(`${pieces[i]} ${piece}`) ?? Infinity);
        const best = Math.min(Infinity, ...ranked);
        if (best === Infinity) return pieces;
        const at = ranked.indexOf(best);
        pieces = [...pieces.slice(0, at), pieces[at] + pieces[at + 1], ...pieces.slice(at + 2)];
      }
    };
    const raw = (all) => Uint8Array.from(all.flatMap((id) => Array.from(vocabulary[id], (one) => byte.get(one) ?? 63)));
    return {
      encode: (text) => (text.match(WORD) ?? []).flatMap((word) => merged(word).map((piece) => ids.get(piece))),
      decode: (all) => new TextDecoder().decode(raw(all)),
    };
  }

  const label = (text) => text.replace(/^ (?=.)/s, BLANK).replace(/\n/g, "↵");

  // ---- the model --------------------------------------------------------------------------------

  const linear = (x, w, b) => Array.from(w, (row, i) => dot(row, x) + b[i]);
  const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
  const plus = (a, b) => a.map((one, i) => one + b[i]);

  // The attention of new rows to all of one layer; `kept` has earlier keys and values, by head.
  function attend(rows, w, { config, kept, first, on }) {
    const size = config.n_embd;
    const width = size / config.n_head;
    const fused = rows.map((x) => linear(x, w("attn.c_attn.weight"), w("attn.c_attn.bias")));
    const part = (row, which, head) => row.slice(which * size + head * width, which * size + (head + 1) * width);
    const turned = (x, at) => (on.rotation ? rotate(x, first + at, 10000) : x);
    const merged = rows.map(() => []);
    const weights = kept.map(({ key, value }, head) => {
      key.push(...fused.map((row, at) => turned(part(row, 1, head), at)));
      value.push(...fused.map((row) => part(row, 2, head)));
      return fused.map((row, at) => {
        const query = turned(part(row, 0, head), at);
        const seen = on.mask ? first + at + 1 : key.length;
        const scores = key.slice(0, seen).map((one) => dot(query, one) / (on.scale ? Math.sqrt(width) : 1));
        const shares = softmax(scores);
        for (let i = 0; i < width; i++) merged[at].push(shares.reduce((sum, share, to) => sum + share * value[to][i], 0));
        return shares;
      });
    });
    return { weights, added: merged.map((x) => linear(x, w("attn.c_proj.weight"), w("attn.c_proj.bias"))) };
  }

  function start({ config, model }, on) {
    const layers = core.range(config.n_layer).map(() => core.range(config.n_head).map(() => ({ key: [], value: [] })));
    return { config, model, on, layers, length: 0 };
  }

  // New tokens through all blocks: logits for each, and the weights of each layer and head.
  function forward(state, ids) {
    const { config, model, on, layers, length: first } = state;
    const norm = (x, name) => layerNorm(x, model[`${name}.weight`], model[`${name}.bias`], config.layer_norm_epsilon).output;
    let rows = ids.map((id, at) => (on.positions ? plus(Array.from(model["wte.weight"][id]), model["wpe.weight"][first + at]) : Array.from(model["wte.weight"][id])));
    const weights = layers.map((kept, layer) => {
      const name = `h.${layer}`;
      const w = (part) => model[`${name}.${part}`];
      const { weights: seen, added } = attend(rows.map((x) => norm(x, `${name}.ln_1`)), w, { config, kept, first, on });
      rows = rows.map((x, at) => plus(x, added[at]));
      const hidden = (x) => linear(norm(x, `${name}.ln_2`), w("mlp.c_fc.weight"), w("mlp.c_fc.bias")).map(gelu);
      rows = rows.map((x) => plus(x, linear(hidden(x), w("mlp.c_proj.weight"), w("mlp.c_proj.bias"))));
      return seen;
    });
    state.length += ids.length;
    return { weights, logits: rows.map((x) => norm(x, "ln_f")).map((x) => model["wte.weight"].map((row) => dot(row, x))) };
  }

  // A text as the explorer shows it.
  function read(loaded, ids, on) {
    const state = start(loaded, on);
    const pieces = on.cache ? ids.map((id) => [id]) : [ids];
    const seen = pieces.map((piece) => forward(state, piece));
    const weights = seen[0].weights.map((layer, l) => layer.map((_, h) => seen.flatMap((one) => one.weights[l][h])));
    return { weights, logits: seen.flatMap((one) => one.logits) };
  }

  const likeliest = (logits) => logits.reduce((best, one, i) => (one > logits[best] ? i : best), 0);

  // The text goes on: the likeliest token each time. Without the mask every token is computed anew.
  function* writes(loaded, ids, on, count) {
    const all = [...ids];
    let state = start(loaded, on);
    let { logits } = forward(state, all);
    for (let i = 0; i < count; i++) {
      const next = likeliest(logits[logits.length - 1]);
      all.push(next);
      yield next;
      if (!on.mask && !on.cache) state = start(loaded, on);
      ({ logits } = forward(state, state.length ? [next] : all));
    }
  }

  return { TRAINED, load, read, writes, label, likeliest };
})();
