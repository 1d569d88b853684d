// The theme, boxes that scroll, and copies of code. Every page works without this file.
"use strict";

const NAMES = { auto: "system", light: "light", dark: "dark" };

function chosen() {
  try {
    const name = localStorage.getItem("theme");
    return name in NAMES ? name : "auto";
  } catch {
    return "auto"; // storage is switched off
  }
}

function show(name) {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

function addSwitch(bar) {
  const label = document.createElement("label");
  label.className = "theme";
  const words = document.createElement("span");
  words.textContent = "Theme";
  const choice = document.createElement("select");
  for (const [name, said] of Object.entries(NAMES)) choice.add(new Option(said, name));
  choice.value = chosen();
  choice.addEventListener("change", () => {
    show(choice.value);
    try {
      localStorage.setItem("theme", choice.value);
    } catch {
      // The choice then lasts as long as the page.
    }
  });
  label.append(words, choice);
  bar.append(label);
}

// A box that scrolls sideways must be reachable by keyboard.
function reachable(box) {
  const wide = box.scrollWidth > box.clientWidth + 1;
  if (wide) box.tabIndex = 0;
  else box.removeAttribute("tabindex");
}

// What a learner would type: without Python's prompts and answers.
function typed(block) {
  if (!block.closest(".highlight-pycon")) return block.textContent;
  const lines = block.textContent.split("\n").filter((line) => /^(>>>|\.\.\.)( |$)/.test(line));
  return lines.map((line) => line.slice(4)).join("\n") + "\n";
}

function addCopy(box) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy this code");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(typed(box.querySelector("pre")));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  box.append(button);
}

show(chosen());
document.addEventListener("DOMContentLoaded", () => {
  const bar = document.querySelector(".bar");
  if (!bar) return; // a figure alone, in a notebook
  addSwitch(bar);
  const contents = document.querySelector(".contents");
  const here = contents.querySelector("[aria-current]");
  if (here) contents.scrollTop = here.offsetTop - contents.offsetTop - contents.clientHeight / 3;
  const boxes = document.querySelectorAll(".wide, main pre, .formula, .picture");
  const watch = new ResizeObserver((seen) => seen.forEach((one) => reachable(one.target)));
  boxes.forEach((box) => watch.observe(box));
  if (navigator.clipboard) {
    const code = ".highlight-pycon, .highlight-python, .highlight-sh, .highlight-bash";
    document.querySelectorAll(code).forEach(addCopy);
  }
});
