// The attention explorer: what each head of the small GPT-2 looks at, with parts switched off.
// The static book has prepared readings as scripts. At the desk, the model itself reads.
"use strict";

const FOLDER = new URL("explorer/", document.currentScript.src);
const SWITCHES = {
  mask: "causal mask",
  scale: "scale",
  positions: "learned positions",
  rotation: "rotation",
  cache: "KV cache",
};
const TRAINED = { mask: true, scale: true, positions: true, rotation: false, cache: false };

// What a lesson opens: the text, the switches that are not as trained, a head, and what to try.
const VIEWS = {
  mask: { text: 1, head: [3, 3], tip: "Switch the causal mask off: tokens look at what follows them." },
  scale: { text: 1, head: [2, 0], tip: "Switch the scale off: about half of all rows then give over 90 % to one token." },
  heads: { text: 0, head: [3, 2], tip: "Each small square is a head. Choose one, then move along the tokens." },
  rotation: {
    text: 3,
    head: [0, 0],
    set: { positions: false, rotation: true },
    tip: "The same word again and again, without learned positions. Switch the rotation off: no head can tell the words apart.",
  },
  cache: { text: 0, head: [4, 0], set: { cache: true }, tip: "Switch the cache off and on: the numbers stay, the work does not." },
  model: { text: 2, head: [4, 1], tip: "Every layer and head of a whole GPT-2. Look for heads that watch the token before." },
};

const waiting = new Map(); // readings on their way, by key
const kept = new Map(); // promises of readings, by key
let texts = [];

window.explorerTexts = (all) => (texts = all);
window.explorerReading = (key, reading) => waiting.get(key)?.(reading);

function load(name) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = new URL(name, FOLDER);
    script.onload = done;
    script.onerror = () => failed(new Error(`${name} is missing from the book.`));
    document.head.append(script);
  });
}

function digits(on) {
  return Object.keys(SWITCHES).map((name) => Number(on[name])).join("");
}

async function ask(text, on) {
  const words = new URLSearchParams({ text });
  for (const name of Object.keys(SWITCHES)) words.set(name, Number(on[name]));
  const answer = await fetch(new URL(`../../api/explore?${words}`, FOLDER));
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error ?? "The desk cannot read this text.");
  return said;
}

// A reading of a text: asked once, from the desk or from the prepared ones.
function reading(text, on, atDesk) {
  const key = atDesk ? `${text} ${digits(on)}` : `${texts.indexOf(text)}-${digits(on)}`;
  if (!kept.has(key)) {
    const made = atDesk
      ? ask(text, on)
      : new Promise((done, failed) => {
          waiting.set(key, done);
          load(`${key}.js`).catch(failed);
        });
    made.catch(() => kept.delete(key));
    kept.set(key, made);
  }
  return kept.get(key);
}

function make(tag, props = {}, ...children) {
  const { data = {}, aria = {}, ...rest } = props;
  const one = Object.assign(document.createElement(tag), rest);
  Object.assign(one.dataset, data);
  for (const [name, value] of Object.entries(aria)) one.setAttribute(name === "role" ? name : `aria-${name}`, value);
  one.append(...children);
  return one;
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
const bits = (number) => `${number.toFixed(1)} bits`;
const level = (thousandths) => (thousandths ? Math.max(1, Math.round((8 * thousandths) / 1000)) : 0);

class Explorer {
  constructor(place) {
    const view = VIEWS[place.dataset.view] ?? VIEWS.heads;
    this.atDesk = document.querySelector('meta[name="desk"]') !== null;
    this.text = texts[view.text];
    this.on = { ...TRAINED, ...view.set };
    this.head = view.head;
    this.token = null;
    this.parts = {
      controls: make("div", { className: "controls" }),
      told: make("p", { className: "told", aria: { live: "polite" } }),
      heads: make("div", { className: "heads", aria: { role: "radiogroup", label: "Heads by layer" } }),
      name: make("p", { className: "named" }),
      tokens: make("div", { className: "tokens", aria: { role: "radiogroup", label: "The token that looks" } }),
      guess: make("p", { className: "guess", aria: { live: "polite" } }),
      table: make("details"),
    };
    const { controls, told, heads, name, tokens, guess, table } = this.parts;
    const seen = make("div", { className: "seen" }, name, tokens, guess);
    const title = make("p", { className: "title" }, make("strong", {}, "Attention explorer. "), view.tip);
    place.replaceChildren(title, controls, told, make("div", { className: "panes" }, heads, seen), table);
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
    texts.forEach((text) => pick.add(new Option(text, text)));
    pick.value = this.text;
    pick.addEventListener("change", () => this.change({ text: pick.value }));
    controls.append(pick);
    if (this.atDesk) controls.append(this.ownText());
    for (const [name, said] of Object.entries(SWITCHES)) {
      const box = make("input", { type: "checkbox", checked: this.on[name] });
      box.addEventListener("change", () => this.change({ on: { ...this.on, [name]: box.checked } }));
      controls.append(make("label", {}, box, ` ${said}`));
    }
  }

  ownText() {
    const input = make("input", { type: "text", maxLength: 200, placeholder: "or your own text", aria: { label: "Your own text" } });
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

  async read() {
    const { text, on } = this;
    try {
      const [now, trained] = await Promise.all([reading(text, on, this.atDesk), reading(text, TRAINED, this.atDesk)]);
      if (text !== this.text || on !== this.on) return; // something else was asked for meanwhile
      const other = !this.reading || this.reading.text !== now.text;
      Object.assign(this, { reading: now, trained });
      if (other) this.token = now.tokens.length - 1;
      this.parts.told.textContent = this.story();
      this.draw();
    } catch (problem) {
      this.parts.told.textContent = problem.message;
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
    this.parts.name.textContent = `Layer ${layer}, head ${head}: where “${tokens[this.token]}” looks`;
    const next = guesses[this.token].map(([said, share]) => `“${said}” ${share} %`).join(", ");
    this.parts.guess.textContent = `After “${tokens[this.token]}” the whole model expects: ${next}.`;
    this.drawTable();
  }

  drawTable() {
    const { table } = this.parts;
    const { tokens, weights } = this.reading;
    const [layer, head] = this.head;
    const title = `Layer ${layer}, head ${head}, in percent: a row for each token that looks`;
    const top = make("tr", {}, make("th", { scope: "col" }, "looks"), ...tokens.map((one) => make("th", { scope: "col" }, one)));
    const rows = weights[layer][head].map((row, index) =>
      make("tr", {}, make("th", { scope: "row" }, tokens[index]), ...tokens.map((_, to) => make("td", {}, row[to] === undefined ? "–" : (row[to] / 10).toFixed(1)))),
    );
    const whole = make("table", {}, make("caption", {}, title), make("thead", {}, top), make("tbody", {}, ...rows));
    const scroll = make("div", { className: "wide", tabIndex: 0, aria: { role: "region", label: title } }, whole);
    const summary = table.querySelector("summary") ?? make("summary", {}, "The numbers of this head as a table");
    table.replaceChildren(summary, scroll);
  }
}

// A head as a small picture: a row is a token that looks, a column one that is looked at.
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

load("texts.js").then(() => document.querySelectorAll(".explorer").forEach((place) => new Explorer(place)));
