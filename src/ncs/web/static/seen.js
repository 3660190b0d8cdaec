// Why something was or was not taken for a thing: chances, votes, peaks and masks, on demand.

import { $, request, complain, el } from "./page.js";
import { sentence } from "./words.js";

const ENOUGH = 1; // a peak with this share of the votes a thing needs is a thing
let asked = 0; // counts questions, so that an old answer never replaces a newer one
let shown = null; // the step whose pictures stand there, as "episode/step"

/** Shows the reasons of a step, if somebody has opened them; none before and after steps. */
export async function show(episode, step) {
  const wanted = episode !== null && step !== null ? `${episode}/${step}` : null;
  if (!$("seen").open || wanted === shown) return;
  const number = (asked += 1);
  if (wanted === null) return empty();
  try {
    const answer = await request(`/api/episodes/${episode}/seen/${step}`);
    if (number !== asked) return;
    shown = wanted;
    $("seen-parts").replaceChildren(part("scene", answer.scene), part("goal", answer.goal));
  } catch (error) {
    complain(error.message);
  }
}

function empty() {
  shown = null;
  $("seen-parts").replaceChildren(el("p", { class: "faint" }, "Press solve, and go to a step: what was seen in its pictures stands here."));
}

function part(name, seen) {
  const pictures = seen.votes === null ? [] : [
    picture(seen.chances, `Where a thing may be in the ${name}: the brighter, the likelier`, "a thing?"),
    picture(seen.votes, `Votes for the middles of things in the ${name}, with rings around their peaks`, "votes"),
  ];
  const idle = seen.masks.filter((mask) => !mask.tile).length;
  const things = seen.masks.filter((mask) => mask.taken).length;
  return el("section", { "aria-label": `What was seen in the ${name}` },
    el("h3", {}, el("span", { class: "belief" }, "belief"), ` ${name}: ${count(things, "thing")}`),
    el("div", { class: "seen-pictures" }, ...pictures),
    el("p", {}, ...sentence(words(seen))),
    seen.peaks.length ? el("ol", { class: "chips", "aria-label": `Peaks of the ${name}` }, ...seen.peaks.map(peak)) : "",
    el("div", { class: "tiles" }, ...seen.masks.filter((mask) => mask.tile).map((mask) => tile(mask, name))),
    idle ? el("p", { class: "small" }, `${count(idle, "spare slot")} ${idle === 1 ? "claims" : "claim"} no pixel.`) : "");
}

const count = (number, what) => `${number} ${what}${number === 1 ? "" : "s"}`;

function words(seen) {
  if (seen.votes === null) return "This model casts no votes: each slot takes the pixels it explains best, as below.";
  const taken = seen.peaks.filter((share) => share >= ENOUGH).length;
  const left = seen.peaks.length - taken;
  return `Every pixel votes for the middle of the thing it may belong to. ${count(taken, "peak")} with votes enough`
    + ` (thick green ring): taken for ${taken === 1 ? "a thing" : "things"}. `
    + (left ? `${left} with too few (thin red ring): left out.` : "No other peak is worth a mark.")
    + " Below, the height of each peak; 100 % is what it takes.";
}

function peak(share) {
  const taken = share >= ENOUGH;
  return el("li", { class: taken ? "taken" : "left" }, `${Math.round(100 * share)} %: ${taken ? "a thing" : "left out"}`);
}

function picture(src, alt, caption) {
  return el("figure", {}, el("div", { class: "frame" }, el("img", { src, alt })), el("figcaption", {}, caption));
}

function tile(mask, name) {
  const what = mask.taken ? "a thing" : "nothing";
  return el("figure", { class: mask.taken ? "taken" : "left" },
    el("img", { src: mask.tile, alt: `Pixels that slot ${mask.slot} of the ${name} claims` }),
    el("figcaption", {}, `${name} ${mask.slot}: ${what}`));
}

export function ready(current) {
  $("seen").addEventListener("toggle", () => show(...current()));
  empty();
}
