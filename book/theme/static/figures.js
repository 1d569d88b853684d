// The figures of the lessons, live. Without this file each is the picture that the page has.
"use strict";

(() => {
  const { make, draw, slider, check, button, number, digits, table, shade } = parts;
  const { range } = core;
  const WORDS = ["she", "loves", "cats"];

  // A figure: controls on top, what they make below, and a sentence that says it.
  class Figure {
    constructor(place, title) {
      this.controls = make("div", { className: "controls" });
      this.shown = make("div", { className: "shown" });
      new ResizeObserver(() => reachable(this.shown)).observe(this.shown); // book.js: what scrolls takes the focus
      this.said = make("p", { className: "said", aria: { live: "polite" } });
      place.replaceChildren(make("p", { className: "title" }, make("strong", {}, title)), this.controls, this.shown, this.said);
      place.setAttribute("role", "group");
      place.setAttribute("aria-label", title);
    }

    show(said, ...children) {
      this.shown.replaceChildren(...children);
      this.said.textContent = said;
    }
  }

  const shaded = (share) => [digits(share), `c${shade(share)}`];
  const additive = (value) => (value === -Infinity ? ["−∞", "hidden"] : [digits(value)]);
  const mask = (value) => (value === 0 ? ["0", "c7"] : [value === -Infinity ? "−∞" : value < -1e30 ? "lowest" : digits(value), "hidden"]);
  const rowsOf = (names, matrix, cell) => matrix.map((row, i) => [names[i], row.map(cell)]);

  // ---- 02: the causal mask ----------------------------------------------------------------------

  function causal(place) {
    const figure = new Figure(place, "The causal mask, for any lengths");
    const on = { length: 2, earlier: 3, right: true };
    const update = (what) => {
      Object.assign(on, what);
      const { length, earlier, right } = on;
      const made = core.causalMask(length, earlier, right ? earlier : 0);
      const columns = range(earlier + length).map((at) => (at < earlier ? `${at}` : `new ${at}`));
      const rows = rowsOf(range(length).map((row) => `new ${earlier + row}`), made, mask);
      const seen = right || earlier === 0
        ? `The first row is position ${earlier} and may attend to ${earlier ? `positions 0 to ${earlier}` : "itself alone"}.`
        : `Wrong: with num_upper = 0 the new token at position ${earlier} attends to position 0 alone, not to itself.`;
      figure.show(
        `Shape [${length}, ${earlier + length}]. ${seen}`,
        table(`causal_mask(${length}, ${earlier})`, columns, rows, "matrix grid"),
      );
    };
    figure.controls.append(
      slider("sequence_length, new tokens", { min: 1, max: 6, value: on.length }, (length) => update({ length })),
      slider("num_tokens, earlier tokens", { min: 0, max: 6, value: on.earlier }, (earlier) => update({ earlier })),
      check("num_upper = num_tokens", on.right, (right) => update({ right })),
    );
    update({});
  }

  // ---- 03 and 05: attention ---------------------------------------------------------------------

  // Head 0 of step 03's toy layer, rounded to two digits.
  const TOY = {
    query: [[0.24, -0.39, -0.91, 1.15], [-0.36, -1.02, -0.22, -0.25], [1.03, 0.06, 1.16, -0.8]],
    key: [[-0.18, 0.33, 0.65, 0.21], [0.2, -0.48, 0.12, -0.58], [0.58, -0.76, -0.85, 0.56]],
    value: [[0.8, 0.77, 0.82, -0.27], [0.6, 0.04, 0.4, -0.43], [-0.62, -0.11, 0.44, -1.72]],
  };
  // Step 05's own example.
  const SMALL = {
    query: [[1, 0], [0, 2], [1, 1]],
    key: [[1, 1], [2, 0], [0, 2]],
    value: [[10, 0], [0, 10], [5, 5]],
  };

  function attention(place) {
    const start = place.dataset.figure === "toy" ? TOY : SMALL;
    const figure = new Figure(place, "She loves cats: change a number, and the rest follows");
    const given = structuredClone(start);
    const on = { scale: true, mask: place.dataset.figure !== "toy" };
    const follow = make("div", { className: "tables" });
    const update = (what = {}) => {
      Object.assign(on, what);
      const made = core.attention(given.query, given.key, given.value, { scale: on.scale, mask: on.mask ? core.causalMask(3, 0) : null });
      const root = on.scale ? `÷ √${given.query[0].length}` : "not scaled";
      follow.replaceChildren(
        table("scores = Q Kᵀ", WORDS, rowsOf(WORDS, made.scores, (one) => digits(one))),
        table(`scaled, ${root}`, WORDS, rowsOf(WORDS, made.scaled, (one) => digits(one))),
        table(on.mask ? "masked" : "no mask", WORDS, rowsOf(WORDS, made.masked, additive)),
        table("weights = softmax", WORDS, rowsOf(WORDS, made.weights, shaded)),
        table("output = weights @ V", [], rowsOf(WORDS, made.output, (one) => digits(one))),
      );
      figure.said.textContent = WORDS.map((word, i) => `${word[0].toUpperCase()}${word.slice(1)} attends to ${shares(made.weights[i])}.`).join(" ");
    };
    const inputs = Object.entries(given).map(([name, matrix]) =>
      table(name, [], matrix.map((row, i) => [WORDS[i], row.map((value, j) =>
        number(`${name} of ${WORDS[i]}, number ${j + 1}`, value, (typed) => { row[j] = typed; update(); }, start === TOY ? 0.1 : 0.5))])),
    );
    figure.controls.append(
      check("divide by √head_dim", on.scale, (scale) => update({ scale })),
      check("causal mask", on.mask, (masked) => update({ mask: masked })),
      button("Start again", () => attention(place)),
    );
    update();
    figure.show(figure.said.textContent, make("div", { className: "tables inputs" }, ...inputs), follow);
  }

  function shares(weights) {
    const named = weights.map((share, i) => [share, WORDS[i]]).filter(([share]) => share >= 0.005);
    return named.map(([share, word]) => `${word} ${Math.round(100 * share)} %`).join(", ");
  }

  // ---- 04: padding ------------------------------------------------------------------------------

  const LOWEST = -3.4028234663852886e38;
  const PAD = 4;

  function padding(place) {
    const figure = new Figure(place, "Padding and the future, hidden together");
    const on = { words: 1, side: "end", finite: true };
    const update = (what = {}) => {
      Object.assign(on, what);
      const text = WORDS.slice(WORDS.length - on.words);
      const filling = range(3 - on.words).map(() => "[pad]");
      const names = on.side === "end" ? [...text, ...filling] : [...filling, ...text];
      const ids = names.map((name) => (name === "[pad]" ? PAD : WORDS.indexOf(name)));
      const [hides] = core.paddingMask([ids], PAD, on.finite ? LOWEST : -Infinity);
      const both = core.combineMasks(core.causalMask(3, 0), hides);
      const weights = both.map(core.softmax);
      const lost = weights.flat().some(Number.isNaN);
      figure.show(
        lost
          ? "A row in which everything is −∞ has no weights to share: softmax gives NaN. The lowest finite number avoids it."
          : `No word attends to padding.${on.words === 3 ? "" : " Rows of padding still get weights, and nobody uses them."}`,
        make("div", { className: "tables" },
          table("token ids", names, [["id", ids.map(String)]]),
          table("padding mask", names, [["keys", hides.map(mask)]], "matrix grid"),
          table("with the causal mask: the lower one", names, rowsOf(names, both, mask), "matrix grid"),
          table("weights of equal scores", names, rowsOf(names, weights, (one) => (Number.isNaN(one) ? ["NaN", "nan"] : shaded(one)))),
        ),
      );
    };
    figure.controls.append(
      slider("words in the text", { min: 0, max: 3, value: on.words }, (words) => update({ words })),
      check("padding at the start", false, (start) => update({ side: start ? "start" : "end" })),
      check("hide it with the lowest finite number, not −∞", true, (finite) => update({ finite })),
    );
    update();
  }

  // ---- 05 and 07: splitting and merging heads ---------------------------------------------------

  const CELL = { width: 34, height: 26, gap: 18 };

  // Where each number is drawn at each stage: blocks of rows. A block is a token, a head, or the whole text.
  function stages(tokens, heads, width, skip) {
    const x = range(tokens).map((token) => range(width).map((feature) => 10 * token + feature));
    const head = width / heads;
    const cut = core.reshape(x, heads, head); // [seq, n_head, head_dim]
    const split = skip ? core.reshape(x, tokens, head) : core.splitHeads(x, heads); // [n_head, seq, head_dim]
    const back = skip ? core.reshape(split.flat(), heads, head) : core.reshape(core.mergeHeads(split), heads, head);
    const whole = core.reshape(back, tokens, width);
    const by = (kind) => (index) => `${kind} ${index}`;
    const flat = `[${tokens}, ${width}]`;
    const three = `[${tokens}, ${heads}, ${head}]`;
    return [
      { said: "One vector for each token", shape: `[seq, n_embd] = ${flat}`, blocks: [x], name: () => "text" },
      { said: "Reshape: cut each vector into heads", shape: `[seq, n_head, head_dim] = ${three}`, blocks: cut, name: by("token") },
      skip
        ? { said: "Reshape alone: the shape is right, and tokens are in the wrong heads", shape: `[n_head, seq, head_dim] = [${heads}, ${tokens}, ${head}]`, blocks: split, name: by("head") }
        : { said: "Transpose: swap sequence and heads", shape: `[n_head, seq, head_dim] = [${heads}, ${tokens}, ${head}]`, blocks: split, name: by("head") },
      { said: skip ? "Reshape back" : "Transpose back", shape: `[seq, n_head, head_dim] = ${three}`, blocks: back, name: by("token") },
      { said: "Reshape: join the heads", shape: `[seq, n_embd] = ${flat}`, blocks: whole, name: () => "text" },
    ];
  }

  // The place of each number: blocks beside each other where they fit, each with its name above.
  function places(stage, most) {
    const found = new Map();
    const names = [];
    let x = 0;
    let y = 0;
    const [rows, columns] = [stage.blocks[0].length, stage.blocks[0][0].length];
    stage.blocks.forEach((block, index) => {
      const wide = columns * CELL.width + CELL.gap;
      if (x && x + wide - CELL.gap > most) [x, y] = [0, y + rows * CELL.height + 28];
      names.push({ name: stage.name(index), x, y });
      block.forEach((row, i) => row.forEach((value, j) => found.set(value, { x: x + j * CELL.width, y: y + 20 + i * CELL.height })));
      x += wide;
    });
    return { found, names };
  }

  function heads(place) {
    const figure = new Figure(place, "Split the heads, merge them again");
    const on = { stage: 0, tokens: 2, heads: 2, skip: false };
    const width = 6;
    const most = 330;
    const picture = draw("svg", { class: "blocks", viewBox: `0 0 ${most} 200`, width: most, height: 200, role: "img" });
    let cells = new Map();
    const rebuild = () => {
      const one = (value) => {
        const head = Math.floor((value % 10) / (width / on.heads));
        const inside = [draw("rect", { width: CELL.width - 3, height: CELL.height - 3, rx: 3, class: `h${head}` }), draw("text", { x: (CELL.width - 3) / 2, y: 16, "text-anchor": "middle" }, String(value))];
        return [value, draw("svg", { class: "moves" }, ...inside)];
      };
      cells = new Map(range(on.tokens).flatMap((token) => range(width).map((feature) => one(10 * token + feature))));
      picture.replaceChildren(draw("g"), ...cells.values());
    };
    const update = (what = {}) => {
      Object.assign(on, what);
      if ("tokens" in what || "heads" in what || !cells.size) rebuild();
      const stage = stages(on.tokens, on.heads, width, on.skip)[on.stage];
      const { found, names } = places(stage, most);
      for (const [value, { x, y }] of found) {
        cells.get(value).setAttribute("x", x);
        cells.get(value).setAttribute("y", y);
      }
      const said = names.map(({ name, x, y }) => draw("text", { x, y: y + 13, class: "small" }, name));
      picture.firstChild.replaceChildren(...said);
      picture.setAttribute("aria-label", stage.blocks.map((block, i) => `${stage.name(i)}: ${block.map((row) => row.join(" ")).join("; ")}`).join(". "));
      figure.said.textContent = `${on.stage + 1} of 5. ${stage.said}: ${stage.shape}.`;
      for (const [one, end] of [[before, 0], [after, 4]]) one.setAttribute("aria-disabled", on.stage === end);
    };
    const go = (by) => update({ stage: Math.max(0, Math.min(4, on.stage + by)) });
    const before = button("Back", () => go(-1));
    const after = button("Next", () => go(1));
    figure.controls.append(
      before, after,
      slider("n_head", { min: 1, max: 3, value: on.heads }, (count) => update({ heads: count })),
      slider("seq", { min: 1, max: 3, value: on.tokens }, (tokens) => update({ tokens })),
      check("reshape without transpose", false, (skip) => update({ skip, stage: 2 })),
    );
    figure.shown.append(picture);
    update();
  }

  // ---- 06: rotation -----------------------------------------------------------------------------

  function rotation(place) {
    const figure = new Figure(place, "Rotation: only the distance counts");
    const on = { m: 5, n: 3, pair: 0 };
    const [query, key] = [[1, 2], [3, 1]];
    const arrow = ([x, y], kind, name) => [
      draw("line", { x1: 0, y1: 0, x2: x, y2: -y, class: kind }),
      draw("circle", { cx: x, cy: -y, r: 0.1, class: kind }),
      draw("text", { x: 1.08 * x + Math.sign(x) * 0.08, y: -1.08 * y + 0.12, class: kind, "text-anchor": x < 0 ? "end" : "start" }, name),
    ];
    const update = (what = {}) => {
      Object.assign(on, what);
      const speed = core.frequencies(6)[on.pair];
      const [q, k] = [core.turn(query, on.m * speed), core.turn(key, on.n * speed)];
      const circles = [query, key].map((one) => draw("circle", { r: Math.hypot(...one), class: "way" }));
      const axes = [draw("line", { x1: -3.6, x2: 3.6, class: "way" }), draw("line", { y1: -3.6, y2: 3.6, class: "way" })];
      const old = [...arrow(query, "before", "q"), ...arrow(key, "before", "k")];
      const drawn = [...arrow(q, "query", `q, ${on.m}`), ...arrow(k, "key", `k, ${on.n}`)];
      const label = `The query at ${q.map((one) => digits(one)).join(", ")} and the key at ${k.map((one) => digits(one)).join(", ")}`;
      const picture = draw("svg", { class: "dial", viewBox: "-4.6 -4 9.2 8", width: 330, height: 300, role: "img", "aria-label": label }, ...axes, ...circles, ...old, ...drawn);
      const rows = [
        ["query", ["1.00, 2.00", digits(on.m * speed, 4), q.map((one) => digits(one)).join(", ")]],
        ["key", ["3.00, 1.00", digits(on.n * speed, 4), k.map((one) => digits(one)).join(", ")]],
      ];
      figure.show(
        `The distance is m − n = ${digits(on.m - on.n, 0)}, and the dot product ${digits(core.dot(q, k), 4)}. Move both: it stays.`,
        make("div", { className: "tables" }, picture, table(`pair ${on.pair}: ${digits(speed, 4)} radians per position`, ["at first", "angle", "turned"], rows)),
      );
    };
    const sliders = {};
    const place_ = (name, said) => (sliders[name] = slider(said, { min: 0, max: 12, value: on[name] }, (value) => update({ [name]: value })));
    const both = (by) => {
      if (Math.min(on.m, on.n) + by < 0 || Math.max(on.m, on.n) + by > 12) return;
      for (const name of ["m", "n"]) {
        const input = sliders[name].querySelector("input");
        input.value = on[name] + by;
        input.dispatchEvent(new Event("input"));
      }
    };
    figure.controls.append(
      place_("m", "m, the query’s position"), place_("n", "n, the key’s position"),
      slider("pair, of d_k = 6", { min: 0, max: 2, value: 0 }, (pair) => update({ pair })),
      button("Both one back", () => both(-1)), button("Both one on", () => both(1)),
    );
    update();
  }

  // ---- 08: layer normalization ------------------------------------------------------------------

  function norm(place) {
    const figure = new Figure(place, "Layer normalization, number by number");
    const given = { x: [1, 3, 5, 7], weight: [1, 1, 2, 0.5], bias: [0, 1, 0, 0] };
    const on = { factor: 1, shift: 0, eps: 1e-5 };
    const follow = make("div", { className: "tables" });
    const update = (what = {}) => {
      Object.assign(on, what);
      const x = given.x.map((one) => one * on.factor + on.shift);
      const made = core.layerNorm(x, given.weight, given.bias, on.eps);
      const plain = (row) => row.map((one) => [digits(one), Number.isNaN(one) ? "nan" : ""]);
      follow.replaceChildren(
        table("step by step", [], [
          ["x", plain(x)],
          ["− mean", plain(made.centered)],
          ["÷ √(variance + eps)", plain(made.normalized)],
          ["· weight + bias", plain(made.output)],
          ["x + that", plain(x.map((one, i) => one + made.output[i]))],
        ], "matrix left"),
      );
      figure.said.textContent = `Mean ${digits(made.mean)}, variance ${digits(made.variance)}, epsilon ${on.eps ? "0.00001" : "0"}. ${
        made.normalized.some(Number.isNaN) ? "0 / 0 is NaN: that is what epsilon is for." : "Multiply or shift the whole vector: the normalized numbers hardly change, and what is added to the vector stays small."
      }`;
    };
    const inputs = Object.entries(given).map(([name, row]) =>
      [name, row.map((value, i) => number(`${name}, feature ${i}`, value, (typed) => { row[i] = typed; update(); }))]);
    figure.controls.append(
      slider("multiply x by", { min: 0, max: 100, value: 1 }, (factor) => update({ factor })),
      slider("add to x", { min: -20, max: 20, value: 0 }, (shift) => update({ shift })),
      check("epsilon", true, (eps) => update({ eps: eps ? 1e-5 : 0 })),
    );
    update();
    figure.show(figure.said.textContent, make("div", { className: "tables inputs" }, table("what goes in", [], inputs)), follow);
  }

  // ---- 10: the cache ----------------------------------------------------------------------------

  function cache(place) {
    const figure = new Figure(place, "A text grows token by token");
    const tokens = ["She", "·was", "·happy", "·and", "·he", "·was"];
    const width = 768; // GPT-2's
    const on = { length: 4, cached: true };
    const millions = (count) => `${(count / 1e6).toFixed(1)} million`;
    const total = (steps) => steps.reduce((sum, step) => sum + step.multiplied, 0);
    const update = (what = {}) => {
      Object.assign(on, what);
      const steps = core.growth(on.length, width, on.cached);
      const cell = (step, at) => (at < step.kept ? ["kept", "kept"] : at < step.kept + step.fresh ? ["new", "fresh"] : ["", "none"]);
      const rows = steps.map((step, row) => [tokens[row], [...tokens.map((_, at) => cell(step, at)), `${step.fresh}`, (step.multiplied / 1e6).toFixed(2)]]);
      const [some, all] = [true, false].map((cached) => total(core.growth(on.length, width, cached)));
      const counted = steps.reduce((sum, step) => sum + step.fresh, 0);
      figure.show(
        `${on.cached ? "With" : "Without"} the cache ${counted} tokens went through the layer. Its multiplications so far, at GPT-2’s width of 768: ${millions(some)} with the cache, ${millions(all)} without.`,
        table("keys and values at each step: new or kept", [...tokens, "new", "·10⁶"], rows, "matrix cache"),
      );
      next.setAttribute("aria-disabled", on.length === tokens.length);
    };
    const next = button("Next token", () => update({ length: Math.min(tokens.length, on.length + 1) }));
    figure.controls.append(next, button("Start again", () => update({ length: 1 })), check("KV cache", true, (cached) => update({ cached })));
    update();
  }

  const FIGURES = { causal, toy: attention, attention, padding, heads, rotation, norm, cache };
  for (const place of document.querySelectorAll(".live")) FIGURES[place.dataset.figure](place);
})();
