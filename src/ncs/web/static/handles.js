// Objects of the goal picture that can be dragged, by hand or with the arrow keys.

import { $, el, model } from "./page.js";

/** Puts a handle on each object; `move(index, x, y)` asks for a drag and tells if it was accepted. */
export function place(handles, move) {
  const kept = new Map([...$("goal-frame").querySelectorAll(".handle")].map((b) => [b.dataset.index, b]));
  for (const one of handles) {
    const index = String(one.index);
    const button = kept.get(index) || make(one.index);
    kept.delete(index);
    button.move = move;
    button.at = [one.x, one.y];
    if (!button.classList.contains("held")) put(button, one.x, one.y);
  }
  for (const gone of kept.values()) gone.remove();
}

export const removeAll = () => place([], null);

function put(button, x, y) {
  button.style.left = `${100 * x}%`;
  button.style.top = `${100 * y}%`;
}

function make(index) {
  const button = el("button", { type: "button", class: "handle",
    "aria-label": `Goal of object ${index + 1}: drag, or use the arrow keys` });
  button.dataset.index = index;
  button.addEventListener("pointerdown", (event) => hold(button, event));
  button.addEventListener("keydown", (event) => nudge(button, index, event));
  $("goal-frame").append(button);
  return button;
}

function nudge(button, index, event) {
  const turn = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (!turn || !button.move) return;
  event.preventDefault();
  event.stopPropagation();
  const step = model().key_step;
  button.move(index, button.at[0] + step * turn[0], button.at[1] + step * turn[1]);
}

/** Follows a pointer; one request at a time is under way, and the newest place goes next. */
function hold(button, event) {
  if (!button.move || event.button !== 0) return;
  event.preventDefault();
  button.setPointerCapture(event.pointerId);
  button.classList.add("held");
  const box = $("goal-frame").getBoundingClientRect();
  const offset = [event.clientX - box.left - button.at[0] * box.width,
    event.clientY - box.top - button.at[1] * box.height];
  let wanted = null, asking = false, moved = false;
  const follow = async () => {
    if (asking || !wanted) return;
    asking = true;
    const [x, y] = wanted;
    wanted = null;
    const accepted = await button.move(Number(button.dataset.index), x, y);
    button.classList.toggle("refused", !accepted);
    asking = false;
    follow();
  };
  const drag = (now) => {
    moved = moved || Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) > 3;
    if (!moved) return;
    const x = (now.clientX - box.left - offset[0]) / box.width;
    const y = (now.clientY - box.top - offset[1]) / box.height;
    put(button, Math.max(0, Math.min(1, x)), Math.max(0, Math.min(1, y)));
    wanted = [x, y];
    follow();
  };
  const release = async () => {
    button.removeEventListener("pointermove", drag);
    button.removeEventListener("pointerup", release);
    button.removeEventListener("pointercancel", release);
    while (asking || wanted) await new Promise((done) => setTimeout(done, 10));
    button.classList.remove("held", "refused");
    put(button, ...button.at);
  };
  button.addEventListener("pointermove", drag);
  button.addEventListener("pointerup", release);
  button.addEventListener("pointercancel", release);
}
