"use strict";
const said = document.getElementById("said");
for (const button of document.querySelectorAll("th button")) {
  button.addEventListener("click", () => sort(button.closest("th")));
}
function sort(head) {
  const table = head.closest("table"), body = table.tBodies[0], column = head.cellIndex;
  const down = head.getAttribute("aria-sort") === "ascending" ||
    (!head.hasAttribute("aria-sort") && head.classList.contains("number"));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const key = row => {
    const cell = row.cells[column];
    return cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);
  };
  const compare = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" }).compare;
  const rows = [...body.rows].map((row, index) => ({ row, index, key: key(row) }));
  rows.sort((a, b) => {
    const order = typeof a.key === "number" ? a.key - b.key : compare(a.key, b.key);
    return (down ? -order : order) || a.index - b.index;
  });
  body.append(...rows.map(each => each.row));
  said.textContent = `Sorted by ${head.textContent.trim()}, ${down ? "descending" : "ascending"}.`;
}
const search = document.getElementById("search"), only = document.getElementById("only");
function filter() {
  const text = search.value.trim().toLowerCase();
  let shown = 0;
  for (const row of document.getElementById("class").tBodies[0].rows) {
    const fits = row.textContent.toLowerCase().includes(text) &&
      (!only.value || row.dataset.verdicts.split(" ").includes(only.value));
    row.hidden = !fits;
    shown += fits;
  }
  said.textContent = shown === 1 ? "1 person is shown." : `${shown} people are shown.`;
}
search?.addEventListener("input", filter); // the page for the wall has neither
only?.addEventListener("change", filter);
for (const each of document.querySelectorAll(".tools")) each.hidden = false;
function open() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") {
    target.open = true;
    target.scrollIntoView();
    target.querySelector("summary").focus();
  }
}
addEventListener("hashchange", open);
open();
const reports = document.querySelectorAll("details.person");
for (const each of reports) each.addEventListener("toggle", () => {
  for (const pane of each.querySelectorAll(".code")) {
    const first = pane.querySelector("mark");
    if (first) pane.scrollTop = first.offsetTop - pane.offsetTop - pane.clientHeight / 3;
  }
});
for (const [name, opened] of [["open-all", true], ["close-all", false]]) {
  document.getElementById(name)?.addEventListener("click", () => {
    for (const each of reports) each.open = opened;
  });
}
