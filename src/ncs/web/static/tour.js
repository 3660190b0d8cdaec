// A tour of six steps, each pointing at the thing itself, on the first step of an episode.

import { $ } from "./page.js";
import * as solve from "./solve.js";
import { stage, show } from "./stage.js";

const STEPS = [
  ["scene-frame", "Slots", "The model has never been told what a thing is. It learned to cut a picture into "
    + "slots, one for each thing: the coloured outlines. Where they lie is what it believes."],
  ["pairs", "Type and state", "Each slot has a type, what it is, and a state, where it is. Actions change "
    + "states and never types: that is how it knows a thing again after it was moved."],
  ["edge-figure", "The graph", "From random clips it gathered states into nodes, the places where things were, "
    + "and kept an edge for each move it saw between two of them, with the action that made it."],
  ["goal-frame", "Align", "Which thing of the goal is which of the scene? It matches them by type alone; "
    + "a pair has the same colour in both pictures."],
  ["why", "Select", "Each pair is a constraint: this thing should be there. It selects one that does not hold "
    + "yet, drawn with a thick line, and says here why."],
  ["edge-figure", "Bind", "It binds where the thing is and where it should be to two nodes. The edge between them "
    + "says what to do: the arrow in the scene. Then it looks again. Press play to watch the rest."],
];
let at = 0, before = null;

export function readyTour() {
  $("tour-open").addEventListener("click", begin);
  $("tour-next").addEventListener("click", () => (at === STEPS.length - 1 ? end() : point(at + 1)));
  $("tour-back").addEventListener("click", () => point(at - 1));
  $("tour-end").addEventListener("click", end);
  $("tour").addEventListener("keydown", (event) => { if (event.key === "Escape") end(); });
  addEventListener("resize", () => { if (!$("tour").hidden) place(); });
}

/** Starts by itself when somebody is here for the first time. */
export function firstVisit() {
  let seen = "yes";
  try { seen = localStorage.getItem("toured"); } catch { /* private window: no tour by itself */ }
  if (!seen) begin();
}

function begin() {
  before = document.activeElement;
  document.querySelector("#tab-solve").click();
  if (stage.moments.length) show(0);
  else solve.start(true);
  point(0);
  $("tour-next").focus();
}

function point(step) {
  at = Math.max(0, step);
  const [, title, text] = STEPS[at];
  $("tour-count").textContent = `${at + 1} of ${STEPS.length}`;
  $("tour-title").textContent = title;
  $("tour-text").textContent = text;
  $("tour-back").disabled = at === 0;
  $("tour-next").textContent = at === STEPS.length - 1 ? "Done" : "Next";
  $("tour").hidden = false;
  for (const one of document.querySelectorAll(".pointed")) one.classList.remove("pointed");
  $(STEPS[at][0]).classList.add("pointed");
  $(STEPS[at][0]).scrollIntoView({ block: innerWidth < 560 ? "start" : "center" });
  place();
}

/** Beside what it speaks of, wherever there is room. */
function place() {
  const target = $(STEPS[at][0]).getBoundingClientRect(), box = $("tour").getBoundingClientRect();
  const right = target.right + 14, below = target.bottom + 14;
  let left = target.left, top = below;
  if (innerWidth < 560) top = target.top > innerHeight / 2 ? 8 : innerHeight - box.height - 8; // a telephone: above or below
  else if (right + box.width < innerWidth) [left, top] = [right, target.top];
  else if (below + box.height > innerHeight) top = Math.max(8, target.top - box.height - 14);
  $("tour").style.left = `${Math.max(8, Math.min(left, innerWidth - box.width - 8))}px`;
  $("tour").style.top = `${Math.max(8, Math.min(top, innerHeight - box.height - 8))}px`;
}

function end() {
  $("tour").hidden = true;
  for (const one of document.querySelectorAll(".pointed")) one.classList.remove("pointed");
  try { localStorage.setItem("toured", "yes"); } catch { /* private window */ }
  before?.focus?.();
}
