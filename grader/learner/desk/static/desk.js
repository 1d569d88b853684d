// The desk on a lesson's page: builds it, and ties its parts together.

import { ask, Gone } from "./api.js";
import { button, el } from "./dom.js";
import { windowName } from "./drafts.js";
import { createEditor } from "./editor.js";
import { listen } from "./events.js";
import { LearnersFile } from "./file.js";
import { Help, title } from "./help.js";
import { light, tick } from "./lesson.js";
import { separator } from "./panes.js";
import { drawFigures, release } from "./pictures.js";
import { drawReport, spoken } from "./report.js";
import { compared, Said } from "./said.js";

const STATES = {
  saved: "Saved",
  unsaved: "Not saved yet",
  restored: "Not saved yet: this is what you wrote last time",
  saving: "Saving …",
  conflict: "Changed elsewhere: choose below",
  gone: "The desk cannot be reached. Your work is safe here and will be saved when it is back",
  "kept-nowhere": "Not saved, and this browser keeps nothing. Save soon",
};

const step = document.body.dataset.step;
const nonce = document.querySelector('script[src$="_desk/desk.js"]').nonce;

const state = el("span", { id: "desk-state", role: "status" });
const heard = el("div", { id: "desk-heard", class: "desk-only-heard", "aria-live": "polite" });
const conflict = el("section", { id: "desk-conflict", hidden: true, "aria-label": "Two versions" });
const where = el("div", { id: "desk-editor" });
const saidPlace = el("section", { id: "desk-said", hidden: true, "aria-label": "Answer" });
const reportPlace = el("div", { id: "desk-verdict" }, el("p", {}, "Grading …"));
const heads = el("div", { id: "desk-heads" });
const said = new Said(saidPlace, () => report.focus());
const help = new Help(step, said);

const actions = [
  ["Hint", "h", () => help.hint()],
  ["Heads", "v", () => help.heads()],
  ["Solution", "s", () => help.solution()],
  ["Start over", "r", () => help.reset()],
  ["Steps", "l", () => help.steps()],
  ["Previous", "p", () => help.turn(-1)],
  ["Next", "n", () => help.turn(1)],
];
const bar = el(
  "div",
  { class: "desk-row", role: "group", "aria-label": "Help" },
  ...actions.map(([name, key, run]) => button(name, () => attempt(run), key)),
);
const report = el(
  "section",
  { id: "desk-report", tabindex: "0", "aria-label": "Report" },
  bar,
  saidPlace,
  reportPlace,
  heads,
);
const course = el("span", { id: "desk-course" });
const fileName = el("h2", { id: "desk-name" }, "Your file");
const desk = el(
  "aside",
  { id: "desk", "aria-labelledby": "desk-name" },
  el(
    "div",
    { class: "desk-row" },
    fileName,
    button("Save", () => file.save(), "Ctrl-S"),
    state,
    course,
  ),
  conflict,
  where,
  separator("desk-height", "Height of the editor", (y, at) => (y - at.top) / at.height),
  el("p", { id: "desk-keys" }, "Ctrl-S saves and grades. Esc leaves the editor for the report."),
  report,
  heard,
);

const editor = createEditor({
  parent: where,
  nonce,
  label: "Your program",
  onChange: () => file.changed(),
  onSave: () => file.save(),
  onLeave() {
    closePanels();
    show("report");
    report.focus();
  },
});
editor.lock(true); // until the file is there
const file = new LearnersFile(step, editor, showState);
const act = {
  goTo(line, after) {
    show("code");
    editor.reveal(line, after);
    editor.focus();
  },
  next: () => attempt(() => help.turn(1)),
  read: () => show("lesson"),
};
let known = 0; // the version of what the server told last
let read = 0; // the version of the answer that had the file last
let latest = null; // the last report
let told = {}; // the version of the last event of each kind, since the server was asked for all

// ---- what the server tells ------------------------------------------------------------------

const kinds = {
  file: async ({ digest, window }) => {
    if (window === windowName || digest === file.digest) return;
    const found = await ask(`steps/${step}`);
    if (newer(found)) file.seen(found.file);
  },
  grading: () => desk.classList.add("grading"),
  report: takeReport,
  figures: (figures) => drawFigures(heads, figures),
  progress: (progress) => {
    help.progress = progress;
    tick(progress);
    const passed = progress.filter((one) => one.state === "passed").length;
    course.textContent = `${passed} of ${progress.length} steps passed`;
    if (latest && following(latest) !== latest.next) takeReport(latest);
  },
};

/** Whether an answer has the file as it is: two answers may come in another order than asked for. */
function newer(found) {
  const is = found.version >= read;
  if (is) read = found.version;
  return is;
}

function takeReport(told) {
  const found = { ...told, checks: led(told), next: following(told) };
  desk.classList.toggle("grading", !found.whole);
  const place = found.explanation ?? found.checks.find((check) => check.id === found.first);
  const isThere = found.digest === file.digest && !desk.contains(document.activeElement);
  if (!latest?.whole && place?.line && isThere) editor.reveal(place.line, place.after);
  const again = latest && latest.digest === found.digest && latest.verdict === found.verdict;
  latest = found;
  release(reportPlace);
  drawReport(reportPlace, found, act);
  light(found, act);
  annotate();
  const failing = found.verdict === "fail" || found.verdict === "timeout";
  tabs.lastChild.textContent = failing ? `Report ${found.score}/${found.of}` : "Report";
  if (found.verdict === "pass") tabs.lastChild.textContent = "Report 🎉";
  if (!again) heard.textContent = spoken(found);
  document.dispatchEvent(new CustomEvent("desk:report", { detail: found }));
}

/** The checks of a report; the first to fix is led to where the explanation says. */
function led({ checks = [], first, explanation }) {
  const { line, after, blanks } = explanation ?? {};
  const there = line && !blanks ? { line, after, text: "" } : {};
  return checks.map((check) => (check.id === first ? { ...check, ...there } : check));
}

/** What the step after this one is called, if this one is passed. */
function following({ verdict }) {
  const next = verdict === "pass" && help.following(1);
  return next && title(next);
}

/** Marks and margin belong to the text that was graded. Until all is known, no line is red. */
function annotate() {
  if (!latest || latest.digest !== file.digest) return;
  const { explanation: told, checks, first, margin = [], whole } = latest;
  const place = told ? { ...told, message: told.head } : checks.find((check) => check.id === first);
  const right = margin.some((one) => one.line === place?.line && one.mark === "right");
  const red = whole && place?.line && !told?.blanks && (place.after || !right);
  editor.mark(red ? place : null);
  editor.annotate(margin);
}

listen(
  (event) => {
    if (event.version <= known || (event.step && event.step !== step)) return;
    told[event.kind] = event.version;
    kinds[event.kind]?.(event.about);
  },
  (up) => {
    desk.classList.toggle("gone", !up);
    if (up) attempt(meet);
    else if (met) showState("gone");
  },
);

let met = false;

/** Learns all that the server knows: when the page opens, and after each lost connection. */
async function meet() {
  told = {};
  const found = await ask(`steps/${step}`);
  const current = (kind) => !(told[kind] > found.version); // nothing newer was told meanwhile
  known = read = found.version;
  fileName.textContent = found.name;
  if (current("progress")) kinds.progress(found.progress);
  if (met) await file.back(found.file);
  else {
    await file.open(found.file, found.course);
    const todo = editor.text().split("# TODO");
    if (todo.length > 1) editor.reveal(todo[0].split("\n").length);
  }
  met = true;
  if (current("report") && current("grading")) {
    if (found.report) takeReport(found.report);
    desk.classList.toggle("grading", found.grading);
  }
  if (current("figures")) drawFigures(heads, found.figures);
}

// ---- what the learner does ------------------------------------------------------------------

/** Does something that may fail, and says so. */
async function attempt(run) {
  try {
    await run();
  } catch (problem) {
    showState(problem instanceof Gone ? "gone" : "refused", problem.message);
  }
}

function showState(name, about) {
  state.textContent = STATES[name] ?? about;
  state.className = name;
  if (name === "conflict") showConflict();
  else if (["saved", "unsaved", "saving"].includes(name)) conflict.hidden = true;
  if (name === "saved") annotate();
}

function showConflict() {
  const lines = el("div", {});
  const end = (mine) => async () => {
    const kept = await file.choose(mine);
    conflict.hidden = true;
    said.text("Both are kept", `The other version is kept as ${kept}\n`);
  };
  const differ = async () => lines.replaceChildren(compared(await file.difference()));
  conflict.replaceChildren(
    el(
      "p",
      {},
      "The file was changed elsewhere while you had unsaved lines. Nothing is lost: a copy is kept of ",
      "the version you do not choose.",
    ),
    el(
      "div",
      { class: "desk-row" },
      button("Keep mine", () => attempt(end(true))),
      button("Take the other", () => attempt(end(false))),
      button("Show the difference", () => attempt(differ)),
    ),
    lines,
  );
  conflict.hidden = false;
  heard.textContent = "The file was changed elsewhere. Choose a version.";
}

desk.addEventListener("keydown", (event) => {
  const typing = event.target.closest("#desk-editor, input, textarea");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "e") toEditor();
  else {
    const found = actions.find(([, key]) => key === event.key);
    if (!found) return;
    attempt(found[2]);
  }
  event.preventDefault();
});

/** Closes what is open beside the report; says whether something was. */
function closePanels() {
  const open = said.open || !conflict.hidden;
  if (said.open) said.close();
  conflict.hidden = true; // saving shows it again
  return open;
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.defaultPrevented && closePanels()) event.preventDefault();
  if ((event.ctrlKey || event.metaKey) && event.key === "s") {
    event.preventDefault();
    if (!event.target.closest?.("#desk-editor")) file.save();
  }
});
addEventListener("pagehide", () => file.keep());
addEventListener("focus", () => met && help.look().then(kinds.progress, () => {})); // else: gone
addEventListener("visibilitychange", () => document.hidden && file.keep());

// ---- where it stands ------------------------------------------------------------------------

const tabs = el(
  "nav",
  { id: "desk-tabs", "aria-label": "Parts of this page" },
  button("Lesson", () => show("lesson")),
  button("Your file", () => show("code")),
  button("Report", () => show("report")),
);

/** On a narrow screen, one part at a time. */
function show(part) {
  document.body.dataset.desk = part;
  [...tabs.children].forEach((tab, place) => {
    tab.setAttribute("aria-pressed", String(["lesson", "code", "report"][place] === part));
  });
}

function toEditor() {
  show("code");
  editor.focus();
}

const skip = el("button", { class: "desk-skip", type: "button", onclick: toEditor }, "To your file");
document.body.prepend(skip);
desk.prepend(separator("desk-width", "Width of the desk", (x, at) => (at.right - x) / innerWidth));
document.body.append(desk, tabs);
show("lesson");
