// The attention explorer: what each head of the small GPT-2 attends to, with parts switched off.
"use strict";

(() => {
const { make } = parts;
const MOST = 24; // tokens: more would make cells too small to see
const MORE = 24; // tokens that the model adds
const SWITCHES = {
  mask: "causal mask",
  scale: "scale",
  positions: "learned positions",
  rotation: "rotation",
  cache: "KV cache",
};
const { TRAINED } = gpt2;

// What a lesson opens: the text, the switches that are not as trained, a head, and what to try.
const VIEWS = {
  mask: { text: 1, head: [3, 3], tip: "Switch the causal mask off: tokens attend to what follows them." },
  scale: { text: 1, head: [2, 0], tip: "Switch the scale off: about half of all rows then give over 90 % to one token." },
  heads: { text: 0, head: [3, 2], tip: "Each small square is a head. Choose one, then move along the tokens." },
  rotation: {
    text: 3,
    head: [0, 0],
    set: { positions: false, rotation: true },
    tip: "The same word again and again, without learned positions. Switch the rotation off: no head can tell the words apart.",
  },
  cache: { text: 0, head: [4, 0], set: { cache: true }, tip: "Switch the cache off and on: the numbers stay, the work does not." },
  first: { text: 0, head: [3, 2], tip: "A small GPT-2 runs in this page. Type any text, pick a token, and see what it attends to. Then switch a part off." },
  model: { text: 2, head: [4, 1], tip: "Every layer and head of a whole GPT-2. Look for heads that watch the token before." },
};

const bits = (number) => `${number.toFixed(1)} bits`;

// A text as the model reads it: thousandths of weights, the likeliest next tokens, and the surprise.
function reading(loaded, text, on) {
  const ids = loaded.tokenizer.encode(text.trimEnd());
  if (!ids.length) throw new Error("The text is empty. Give it some words.");
  if (ids.length > MOST) throw new Error(`The text has ${ids.length} tokens, and at most ${MOST} fit. Shorten it.`);
  const { weights, logits } = gpt2.read(loaded, ids, on);
  const chances = logits.map(core.softmax);
  const name = (id) => gpt2.label(loaded.tokenizer.decode([id]));
  const best = (row) => [...row.keys()].sort((a, b) => row[b] - row[a] || a - b).slice(0, 3);
  const missed = ids.slice(1).map((id, at) => -Math.log2(Math.max(chances[at][id], 1e-12)));
  return {
    text, ids,
    tokens: ids.map(name),
    weights: weights.map((layer) => layer.map((head) => head.map((row) => row.map((share) => Math.round(1000 * share))))),
    guesses: chances.map((row) => best(row).map((id) => [name(id), Math.round(100 * row[id])])),
    surprise: missed.length ? Math.round((10 * missed.reduce((sum, one) => sum + one, 0)) / missed.length) / 10 : null,
    work: { cache: ids.length, without: (ids.length * (ids.length + 1)) / 2 },
  };
}

// One of a group is chosen, and only that one is a stop for Tab; arrows go to the others.
function roving(group, columns) {
  group.addEventListener("keydown", (event) => {
    const all = [...group.querySelectorAll("[role=radio]")];
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    const at = all.indexOf(document.activeElement);
    const to = { Home: 0, End: all.length - 1 }[event.key] ?? (step === undefined ? undefined : at + step);
    if (to === undefined || at < 0) return;
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, to))].focus();
  });
}

function choose(group, index) {
  [...group.querySelectorAll("[role=radio]")].forEach((one, i) => {
    one.setAttribute("aria-checked", i === index);
    one.tabIndex = i === index ? 0 : -1;
  });
}

const percent = (thousandths) => `${(thousandths / 10).toFixed(thousandths && thousandths < 95 ? 1 : 0)} %`;
const level = (thousandths) => (thousandths ? Math.max(1, Math.round((8 * thousandths) / 1000)) : 0);

class Explorer {
  constructor(place, loaded) {
    const view = VIEWS[place.dataset.view] ?? VIEWS.heads;
    this.loaded = loaded;
    this.text = loaded.texts[view.text];
    this.on = { ...TRAINED, ...view.set };
    this.head = view.head;
    this.token = null;
    this.parts = {
      controls: make("div", { className: "controls" }),
      told: make("p", { className: "told", aria: { live: "polite" } }),
      heads: make("div", { className: "heads", aria: { role: "radiogroup", label: "Heads by layer" } }),
      name: make("p", { className: "named" }),
      tokens: make("div", { className: "tokens", aria: { role: "radiogroup", label: "The token that attends" } }),
      guess: make("p", { className: "guess", aria: { live: "polite" } }),
      becomes: make("div", { className: "becomes" }),
      table: make("details"),
    };
    const { controls, told, heads, name, tokens, guess, becomes, table } = this.parts;
    const seen = make("div", { className: "seen" }, name, tokens, guess);
    const title = make("p", { className: "title" }, make("strong", {}, "Attention explorer. "), view.tip);
    place.replaceChildren(title, controls, becomes, make("div", { className: "panes" }, heads, seen), told, table);
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", "Attention explorer");
    this.addControls();
    roving(tokens, 1);
    const redraw = () => this.reading && this.draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
    new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.read();
  }

  addControls() {
    const { controls } = this.parts;
    const pick = make("select", { aria: { label: "Text" } });
    this.loaded.texts.forEach((text) => pick.add(new Option(text, text)));
    pick.value = this.text;
    pick.addEventListener("change", () => this.change({ text: pick.value }));
    controls.append(this.ownText(), pick);
    for (const [name, said] of Object.entries(SWITCHES)) {
      const box = make("input", { type: "checkbox", checked: this.on[name] });
      box.addEventListener("change", () => this.change({ on: { ...this.on, [name]: box.checked } }));
      controls.append(make("label", {}, box, ` ${said}`));
    }
  }

  ownText() {
    const input = make("input", { type: "text", maxLength: 200, placeholder: "Type any text", aria: { label: "Your own text" } });
    const form = make("form", {}, input, make("button", { type: "submit" }, "Read"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (input.value.trim()) this.change({ text: input.value.trim() });
    });
    return form;
  }

  change(what) {
    Object.assign(this, what);
    this.read();
  }

  read() {
    const { text, on, loaded } = this;
    try {
      const now = reading(loaded, text, on);
      const other = !this.reading || this.reading.text !== now.text;
      Object.assign(this, { reading: now, trained: reading(loaded, text, TRAINED) });
      if (other) this.token = now.tokens.length - 1;
      this.parts.told.textContent = this.story();
      this.draw();
      this.write();
    } catch (problem) {
      this.parts.told.textContent = problem.message;
    }
  }

  // How the text goes on, as trained and with what is switched off, a token at a time.
  async write() {
    const { on, loaded, reading: now } = this;
    const same = Object.keys(SWITCHES).every((name) => name === "cache" || on[name] === TRAINED[name]);
    const versions = same ? [["GPT-2 goes on", TRAINED]] : [["As trained", TRAINED], ["With your switches", on]];
    const lines = versions.map(([name]) => make("p", {}, make("span", { className: "small" }, `${name}: `), now.text, make("mark")));
    this.parts.becomes.replaceChildren(...lines);
    for (const [at, [, switches]] of versions.entries()) {
      const added = [];
      for (const id of gpt2.writes(loaded, now.ids, switches, MORE)) {
        added.push(id);
        lines[at].lastChild.textContent = loaded.tokenizer.decode(added);
        await new Promise((done) => setTimeout(done));
        if (now !== this.reading) return; // something else was asked for meanwhile
      }
    }
  }

  story() {
    const { mask, scale, positions, rotation, cache } = this.on;
    const { surprise, work } = this.reading;
    const said = [];
    if (!mask && cache) said.push("The mask is off and nothing changes: with the cache a new token comes last, and nothing follows it.");
    else if (!mask) said.push("Every token sees what follows it, which the model never did in training.");
    if (!scale) said.push("The scores are too large: softmax gives most of the weight to the largest.");
    if (!positions && !rotation) said.push("No token knows its place. Only the mask still tells what came before.");
    if (!positions && rotation) said.push("Places are told by rotation alone, which this model was not trained with.");
    if (positions && rotation) said.push("Places are told twice, and the model was trained without the rotation.");
    said.push(
      cache
        ? `If this text comes token by token, ${work.cache} tokens go through the blocks; without the cache ${work.without}.`
        : `If this text comes token by token, ${work.without} tokens go through the blocks; with the cache ${work.cache}.`,
    );
    if (surprise !== null) {
      const before = this.trained.surprise;
      said.push(surprise === before ? `Surprise per token: ${bits(surprise)}.` : `Surprise per token: ${bits(surprise)}, as trained ${bits(before)}.`);
    }
    return said.join(" ");
  }

  draw() {
    this.drawHeads();
    this.drawTokens();
    this.show();
  }

  // The colours of the page, as numbers that a canvas takes.
  colours() {
    const probe = make("i", { className: "cell" });
    this.parts.heads.append(probe);
    const found = [];
    for (let step = 0; step <= 8; step++) {
      probe.className = `swatch c${step}`;
      found.push(getComputedStyle(probe).backgroundColor);
    }
    probe.className = "swatch hidden";
    found.push(getComputedStyle(probe).backgroundColor);
    probe.remove();
    return found;
  }

  drawHeads() {
    const { heads } = this.parts;
    const { weights } = this.reading;
    const had = document.activeElement?.closest(".heads") === heads;
    heads.replaceChildren();
    const colours = this.colours();
    weights.forEach((layer, l) => {
      const row = make("div", { className: "layer" }, make("span", { className: "small" }, `Layer ${l}`));
      layer.forEach((rows, h) => {
        const button = make("button", { type: "button", aria: { role: "radio", label: `Layer ${l}, head ${h}` } });
        button.append(picture(rows, colours));
        button.addEventListener("focus", () => this.pick([l, h]));
        button.addEventListener("click", () => this.pick([l, h]));
        row.append(button);
      });
      heads.append(row);
    });
    if (!this.roves) roving(heads, weights[0].length);
    this.roves = true;
    choose(heads, this.index());
    if (had) heads.querySelector('[aria-checked="true"]').focus();
  }

  index() {
    return this.head[0] * this.reading.weights[0].length + this.head[1];
  }

  pick(head) {
    this.head = head;
    choose(this.parts.heads, this.index());
    this.show();
  }

  drawTokens() {
    const { tokens } = this.parts;
    tokens.replaceChildren();
    this.reading.tokens.forEach((said, index) => {
      const share = make("span", { className: "share" });
      const button = make("button", { type: "button", aria: { role: "radio" } }, make("span", {}, said), share);
      const look = () => this.look(index);
      for (const kind of ["focus", "click", "pointerenter"]) button.addEventListener(kind, look);
      tokens.append(button);
    });
  }

  look(index) {
    this.token = index;
    this.show();
  }

  // The chosen token of the chosen head: how much it takes from each.
  show() {
    const { tokens, guesses, weights } = this.reading;
    const [layer, head] = this.head;
    const row = weights[layer][head][this.token];
    choose(this.parts.tokens, this.token);
    [...this.parts.tokens.children].forEach((button, index) => {
      const weight = row[index];
      button.className = weight === undefined ? "unseen" : `c${level(weight)}`;
      button.lastChild.textContent = weight === undefined ? "–" : percent(weight);
      const share = weight === undefined ? "not seen" : percent(weight);
      button.setAttribute("aria-label", `${tokens[index]}: ${share}`);
    });
    this.parts.name.textContent = `Layer ${layer}, head ${head}: what “${tokens[this.token]}” attends to`;
    const next = guesses[this.token].map(([said, share]) => `“${said}” ${share} %`).join(", ");
    this.parts.guess.textContent = `After “${tokens[this.token]}” the whole model expects: ${next}.`;
    this.drawTable();
  }

  drawTable() {
    const { table } = this.parts;
    const { tokens, weights } = this.reading;
    const [layer, head] = this.head;
    const title = `Layer ${layer}, head ${head}, in percent: a row for each token that attends`;
    const top = make("tr", {}, make("th", { scope: "col" }, "attends"), ...tokens.map((one) => make("th", { scope: "col" }, one)));
    const rows = weights[layer][head].map((row, index) =>
      make("tr", {}, make("th", { scope: "row" }, tokens[index]), ...tokens.map((_, to) => make("td", {}, row[to] === undefined ? "–" : (row[to] / 10).toFixed(1)))),
    );
    const whole = make("table", {}, make("caption", {}, title), make("thead", {}, top), make("tbody", {}, ...rows));
    const scroll = make("div", { className: "wide", tabIndex: 0, aria: { role: "region", label: title } }, whole);
    const summary = table.querySelector("summary") ?? make("summary", {}, "The numbers of this head as a table");
    table.replaceChildren(summary, scroll);
  }
}

// A head as a small picture: a row for each token that attends, a column for each that is attended to.
function picture(rows, colours) {
  const size = rows.length;
  const canvas = make("canvas", { width: size, height: size, aria: { hidden: "true" } });
  const pen = canvas.getContext("2d");
  rows.forEach((row, y) => {
    for (let x = 0; x < size; x++) {
      pen.fillStyle = x < row.length ? colours[level(row[x])] : colours[9];
      pen.fillRect(x, y, 1, 1);
    }
  });
  return canvas;
}

const draw = (loaded) => document.querySelectorAll(".explorer").forEach((place) => new Explorer(place, loaded));
const fail = (problem) => document.querySelectorAll(".explorer p").forEach((said) => (said.textContent = problem.message));
gpt2.load().then(draw).catch(fail);
})();
