// Draws a report: what to fix first, and every check.

import { button, el, lineOf } from "./dom.js";
import { picture } from "./pictures.js";

const MARKS = { pass: "✓", fail: "✗", error: "!" };
const WORDS = { pass: "passed: ", fail: "failed: ", error: "error: " };

/** Puts the report into `place`. `act` has what its buttons do: `goTo` a line, `next` step. */
export function drawReport(place, report, act) {
  const checks = report.checks ?? [];
  const failing = checks.filter((check) => check.status !== "pass");
  const passing = checks.filter((check) => check.status === "pass");
  const first = checks.find((check) => check.id === report.first);
  const others = failing.filter((check) => check !== first);
  place.replaceChildren(
    ...[
      el("p", { class: `desk-verdict ${report.verdict}` }, closing(report)),
      report.note ? el("p", { class: "desk-note" }, report.note) : null,
      report.explanation && explanation(report.explanation, act),
      report.next && el("p", { class: "desk-next" }, button(`Next: ${report.next}`, act.next, "n")),
      first && list([first], act),
      report.figure && picture(report.figure),
      report.after ? el("pre", { class: "desk-after" }, report.after) : null,
      others.length ? titled("Also", list(others, act)) : null,
      report.waiting?.length ? el("ul", {}, ...report.waiting.map((line) => el("li", {}, line))) : null,
      ...(report.notes ?? []).map((note) => el("p", {}, `Note: ${note}`)),
      report.output ? titled("Your program printed", el("pre", {}, report.output)) : null,
      passing.length ? folded(`${passing.length} checks pass`, list(passing, act)) : null,
    ].filter(Boolean),
  );
}

/** The report in a sentence or two, for those who hear it. */
export function spoken(report) {
  const { head, place } = report.explanation ?? {};
  return [`${closing(report)}.`, head && `${head}.`, place && `${place}.`]
    .filter(Boolean)
    .join(" ")
    .replace(/([.!?])\.(?= |$)/g, "$1");
}

/** What to fix first, as the terminal draws it: the cause, the lines with their facts, the rest. */
function explanation(told, act) {
  const { head, place, line, after, frame } = told;
  const rows = frame.map(([number, mark, code, fact]) =>
    el(
      "span",
      { class: `desk-framed ${!number || (!after && number === `${line}`) ? "here" : mark}` },
      el("span", { class: "number" }, number),
      el("code", {}, code),
      el("span", { class: "fact" }, fact),
    ),
  );
  return el(
    "section",
    { class: "desk-explanation", "aria-label": "What to fix first" },
    el("p", { class: "desk-head" }, head),
    line ? button(place || `Go to line ${line}`, () => act.goTo(line, after)) : null,
    rows.length ? el("div", { class: "desk-frame" }, ...rows) : null,
    ...told.told.map((one) => el("p", { class: /^ /.test(one) ? "desk-told code" : "desk-told" }, one)),
  );
}

function closing(report) {
  const failed = report.verdict === "fail" || report.verdict === "timeout";
  return failed ? `${report.score} of ${report.of} checks pass` : report.closing;
}

function titled(title, ...content) {
  return el("section", {}, el("h3", {}, title), ...content);
}

function folded(title, ...content) {
  return el("details", {}, el("summary", {}, title), ...content);
}

function list(checks, act) {
  return el("ul", { class: "desk-checks" }, ...checks.map((check) => item(check, act)));
}

function item(check, act) {
  const failing = check.status !== "pass";
  return el(
    "li",
    { class: check.status, "data-check": check.id },
    el("span", { class: "desk-mark", "aria-hidden": "true" }, `${MARKS[check.status] ?? "·"} `),
    el("span", { class: "desk-only-heard" }, WORDS[check.status] ?? "not run: "),
    el("span", { class: "desk-sentence" }, check.message),
    ...(failing ? details(check, act) : []),
    ...(check.note ? check.note.split("\n").map((line) => el("p", {}, line)) : []),
    ...(check.settled ? [el("p", {}, check.settled)] : []),
    ...(failing ? check.hints.map((hint) => el("p", { class: "desk-hint" }, `Hint: ${hint}`)) : []),
  );
}

function details(check, act) {
  const line = check.line
    ? el(
        "p",
        {},
        button(lineOf(check), () => act.goTo(check.line, check.after)),
        " ",
        el("code", {}, check.text.trim()),
      )
    : null;
  const section = check.section?.anchor
    ? el(
        "p",
        {},
        "Lesson: ",
        el("a", { href: `#${check.section.anchor}`, onclick: act.read }, check.section.heading),
      )
    : null;
  return [line, section];
}
