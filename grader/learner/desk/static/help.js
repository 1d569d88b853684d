// What can be asked for: hints, the solution, starting over, the list of steps, the heads.

import { ask } from "./api.js";
import { button, el } from "./dom.js";
import { drawFigures } from "./pictures.js";
import { compared } from "./said.js";

const STATES = {
  new: "not started",
  started: "started",
  later: "left for later",
  edited: "edited since it passed",
  passed: "passed",
};
const MARKS = { new: "·", started: "…", later: "»", edited: "…", passed: "✓" };

const TEXT = "she loves cats and dogs"; // what the heads attend to before anything is typed

/** The answers of one step, shown in `said`. */
export class Help {
  #step;
  #said;
  progress = [];

  constructor(step, said) {
    this.#step = step;
    this.#said = said;
  }

  async hint() {
    const found = await ask(`steps/${this.#step}/hint`, { method: "POST", body: {} });
    this.#said.text("Hint", found.said);
  }

  async solution(now = false) {
    const found = await ask(`steps/${this.#step}/solution${now ? "?now=1" : ""}`);
    if (found.said) {
      this.#said.show("How the reference differs from your file", compared(found.said.split("\n")));
    } else {
      this.#said.show(
        "The solution",
        el("p", {}, "This step is not passed yet. A hint may be enough."),
        button("Show it anyway", () => this.solution(true)),
      );
    }
  }

  reset() {
    const again = async () => {
      const { said } = await ask(`steps/${this.#step}/reset`, { method: "POST", body: {} });
      this.#said.text("Started over", said);
    };
    this.#said.show(
      "Start over",
      el("p", {}, "Your file goes back to the original stub. A copy of yours is kept."),
      button("Start over", again),
    );
  }

  async steps() {
    await this.look();
    const items = this.progress.map((one) =>
      el(
        "li",
        {},
        el("span", { "aria-hidden": "true" }, `${MARKS[one.state]} `),
        one.id === this.#step ? el("strong", {}, title(one)) : el("a", { href: page(one) }, title(one)),
        `: ${STATES[one.state]}${one.of ? `, ${one.score} of ${one.of} checks` : ""}`,
        one.attempts ? `, ${one.attempts} ${one.attempts === 1 ? "attempt" : "attempts"}` : "",
      ),
    );
    const passed = this.progress.filter((one) => one.state === "passed").length;
    this.#said.show(
      "Steps",
      el("p", {}, `${passed} of ${this.progress.length} steps passed`),
      el("progress", { max: this.progress.length, value: passed, "aria-label": "Steps passed" }),
      el("ul", { class: "desk-steps" }, ...items),
    );
  }

  /** Every step as it is now: some may have been left for later in the terminal. */
  async look() {
    this.progress = (await ask(`steps/${this.#step}`)).progress;
    return this.progress;
  }

  /** The step after this one, or before it, passing over those left for later. */
  following(by) {
    const way = this.progress.filter((one) => one.state !== "later" || one.id === this.#step);
    return way[way.findIndex((one) => one.id === this.#step) + by];
  }

  /** Goes to the step after this one, or before it. */
  async turn(by) {
    await this.look();
    const there = this.following(by);
    if (there) location.assign(page(there));
    else this.#said.show("Steps", el("p", {}, `There is no step ${by > 0 ? "after" : "before"} this one.`));
  }

  /** The learner's heads in words of their choice. */
  heads() {
    const field = el("input", { id: "desk-words", maxlength: "200", autocomplete: "off", value: TEXT });
    const place = el("div", { role: "status" });
    const look = async (event) => {
      event?.preventDefault();
      place.replaceChildren("…");
      try {
        const found = await ask(`steps/${this.#step}/heads?text=${encodeURIComponent(field.value)}`);
        if (found) drawFigures(place, found);
        else place.replaceChildren("There is nothing to draw yet.");
      } catch (problem) {
        place.replaceChildren(problem.message);
      }
    };
    this.#said.show(
      "What your heads attend to",
      el("form", { onsubmit: look }, el("label", { for: "desk-words" }, "Text "), field, " ", el("button", {}, "Draw")),
      place,
    );
    field.focus();
    field.select();
    return look();
  }
}

/** What a step is called. */
export function title(one) {
  return `Step ${one.id.slice(1)}: ${one.title}`;
}

/** The lesson of a step lies beside this one. */
function page(one) {
  return `step_${one.id.slice(1)}.html`;
}
