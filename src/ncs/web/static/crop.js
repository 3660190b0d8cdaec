// The part of one's own pictures that the model looks at: a frame of its shape, moved and sized.

import { $ } from "./page.js";

let wanted = 1; // width over height of what the model looks at
let part = null; // x, y, width, height in shares of the picture; null before there is one

/** The part that was chosen, or null where nothing was. */
export const chosen = () => part;

/** Another model: other pictures. */
export function shape(width_over_height) {
  wanted = width_over_height;
  fit();
}

export function ready() {
  $("own-image").addEventListener("change", () => {
    const file = $("own-image").files[0];
    $("crop").hidden = !file;
    part = null;
    if (!file) return;
    const reader = new FileReader();
    reader.onload = () => { $("crop-picture").src = reader.result; };
    reader.readAsDataURL(file);
  });
  $("crop-picture").addEventListener("load", () => { $("crop-size").value = 100; fit(); });
  $("crop-size").addEventListener("input", fit);
  $("crop-box").addEventListener("keydown", nudge);
  $("crop-box").addEventListener("pointerdown", hold);
}

/** The frame in its new size, around the same middle. */
function fit() {
  const { naturalWidth: width, naturalHeight: height } = $("crop-picture");
  if (!width || $("crop").hidden) return;
  const share = Number($("crop-size").value) / 100;
  const wide = share * Math.min(1, (wanted * height) / width);
  const high = share * Math.min(1, width / (wanted * height));
  const [x, y] = part ? [part.x + part.width / 2, part.y + part.height / 2] : [0.5, 0.5];
  put(x - wide / 2, y - high / 2, wide, high);
}

function put(x, y, width = part.width, height = part.height) {
  part = { x: Math.max(0, Math.min(x, 1 - width)), y: Math.max(0, Math.min(y, 1 - height)), width, height };
  const box = $("crop-box");
  for (const [side, value] of [["left", part.x], ["top", part.y], ["width", width], ["height", height]]) {
    box.style[side] = `${100 * value}%`;
  }
  const text = `${Math.round(100 * part.x)} % from the left, ${Math.round(100 * part.y)} % from the top`;
  box.setAttribute("aria-valuenow", Math.round(100 * part.x));
  box.setAttribute("aria-valuetext", text);
}

function nudge(event) {
  const turn = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!turn || !part) return;
  event.preventDefault();
  event.stopPropagation();
  put(part.x + 0.02 * turn[0], part.y + 0.02 * turn[1]);
}

function hold(event) {
  if (!part || event.button !== 0) return;
  event.preventDefault();
  const box = $("crop-box"), frame = $("crop-frame").getBoundingClientRect();
  box.setPointerCapture(event.pointerId);
  box.focus();
  const from = { x: part.x, y: part.y };
  const drag = (now) => put(from.x + (now.clientX - event.clientX) / frame.width,
    from.y + (now.clientY - event.clientY) / frame.height);
  const release = () => {
    box.removeEventListener("pointermove", drag);
    box.removeEventListener("pointerup", release);
    box.removeEventListener("pointercancel", release);
  };
  box.addEventListener("pointermove", drag);
  box.addEventListener("pointerup", release);
  box.addEventListener("pointercancel", release);
}
