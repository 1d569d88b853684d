// Shows figures: what is expected, what the program gives, and the difference. They come as SVG and
// are shown as images, in which nothing can run.

import { el } from "./dom.js";

const addresses = new WeakMap();

/** A figure with its text. */
export function picture(figure) {
  const address = URL.createObjectURL(new Blob([figure.svg], { type: "image/svg+xml" }));
  const image = el("img", { src: address, alt: figure.spoken, class: "desk-picture" });
  addresses.set(image, address);
  const text = [figure.title, figure.text].filter(Boolean).join(". ");
  return el("figure", {}, image, el("figcaption", {}, text));
}

/** Puts the figures of the learner's heads into `place`; `figures` is null if there are none. */
export function drawFigures(place, figures) {
  release(place);
  const made = figures
    ? [
        ...figures.remarks.map((remark) => el("p", {}, remark)),
        ...figures.figures.map(picture),
      ]
    : [];
  place.replaceChildren(...made);
}

/** Gives back the memory of the pictures in `place`. */
export function release(place) {
  for (const image of place.querySelectorAll("img")) {
    const address = addresses.get(image);
    if (address) URL.revokeObjectURL(address);
  }
}
