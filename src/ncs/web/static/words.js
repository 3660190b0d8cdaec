// The paper's words, each with what it means: shown when one points at it or moves to it.

import { $, el } from "./page.js";

const MEANING = {
  slot: "One thing of a picture as the model sees it: what it is, where it is, and which pixels show it.",
  type: "What a thing is. No action changes it, so the same thing is found again by it.",
  state: "Where a thing is. An action changes the state of the thing it moves, and of nothing else.",
  node: "A place where things of the buffer were: states that are alike, gathered in one group.",
  edge: "A move from one node to another, with the action that made it in the buffer.",
  align: "Finding out which thing of the goal is which of the scene, by their types.",
  select: "Choosing one constraint that does not hold yet: what to do next.",
  bind: "Finding the node that a state belongs to, so that the edge between two nodes says what to do.",
  isolate: "Finding out which thing an action of the buffer moved.",
  constraint: "One thing of the goal and the place where it should be.",
  preset: "Everything at once: 'paper' plays as published, 'best' with every extension.",
  buffer: "The random clips that all of this was learned from.",
};
const FORMS = { slots: "slot", types: "type", nodes: "node", edges: "edge", matched: "align",
  constraints: "constraint", states: "state" };
const PATTERN = new RegExp(`\\b(${[...Object.keys(MEANING), ...Object.keys(FORMS)].join("|")})\\b`, "i");

/** A word of the paper that says what it means. */
export function word(text) {
  const key = FORMS[text.toLowerCase()] || text.toLowerCase();
  const made = el("span", { class: "word", tabIndex: 0 }, text);
  wire(made, key);
  return made;
}

/** A sentence in which the first use of each of the paper's words explains itself. */
export function sentence(text, told = new Set()) {
  const parts = [];
  for (const piece of text.split(PATTERN)) {
    const key = FORMS[piece.toLowerCase()] || piece.toLowerCase();
    if (MEANING[key] && !told.has(key)) {
      told.add(key);
      parts.push(word(piece));
    } else parts.push(piece);
  }
  return parts;
}

function wire(made, key) {
  made.setAttribute("aria-description", MEANING[key]);
  for (const event of ["pointerenter", "focus"]) made.addEventListener(event, () => show(made, MEANING[key]));
  for (const event of ["pointerleave", "blur"]) made.addEventListener(event, () => { $("tip").hidden = true; });
}

function show(made, text) {
  const tip = $("tip");
  tip.textContent = text;
  tip.hidden = false;
  const at = made.getBoundingClientRect(), box = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(at.left, innerWidth - box.width - 8));
  const top = at.bottom + box.height + 12 > innerHeight ? at.top - box.height - 6 : at.bottom + 6;
  tip.style.left = `${left}px`;
  tip.style.top = `${top}px`;
}

/** Makes words of the page that are marked explain themselves. */
export function readyWords() {
  for (const one of document.querySelectorAll("[data-word]")) {
    const key = one.dataset.word;
    if (!one.textContent) one.textContent = key;
    one.classList.add("word");
    one.tabIndex = 0;
    wire(one, key);
  }
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") $("tip").hidden = true; });
}
