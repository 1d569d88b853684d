// Makes elements. Text is always text: nothing that the server or a program says becomes markup.

/** An element with attributes, or `on…` listeners, and children: elements or text. */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A button. `key` is the letter that does the same. */
export function button(text, onclick, key = "") {
  const label = key ? [`${text} `, el("kbd", {}, key)] : [text];
  return el("button", { type: "button", onclick }, ...label);
}

/** The place of a check in words. */
export function lineOf({ line, after }) {
  return `${after ? "After line" : "Line"} ${line}`;
}
