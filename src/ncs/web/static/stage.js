// The pictures of a step, the reasons for it, and going back and forth.

import { $, el, state } from "./page.js";
import * as seen from "./seen.js";
import { sentence } from "./words.js";

const BELIEF = "belief", TRUTH = "truth";
const PACE = 900; // milliseconds a step when playing

export const stage = { moments: [], at: 0, live: true, plan: false, hold: false, episode: null };
const HINT = "Press solve; each step says here which pair it serves, how sure it is, and which edge it acts by.";
let clock = null;

export function clear() {
  pause();
  Object.assign(stage, { moments: [], at: 0, live: true, plan: false, episode: null });
  state.edge = null;
  $("take-home").hidden = true;
  $("nodes").hidden = true;
  $("nodes-words").textContent = "nodes";
  $("why").replaceChildren(el("li", { class: "faint" }, ...sentence(HINT)));
  $("why-kind").hidden = true;
  $("pairs").replaceChildren();
  $("pairs-title").hidden = true;
  say("Press solve.");
  moveClock();
  seen.show(...current());
}

/** The episode and the step on show; no step before the first and after the last. */
function current() {
  return [stage.episode, stage.moments[stage.at]?.step ? stage.at : null];
}

export function say(text, kind = "") {
  $("status").textContent = text;
  $("status-kind").hidden = true;
  $("status").className = kind;
}

/** A new moment has come in: shown at once unless the user looks at an earlier one. */
export function add(moment) {
  stage.moments.push(moment);
  if (stage.hold && stage.moments.length > 1) stage.live = false; // somebody is being shown the first step
  if (stage.live) show(stage.moments.length - 1);
  else moveClock();
}

export function show(at) {
  stage.at = Math.max(0, Math.min(at, stage.moments.length - 1));
  stage.live = stage.at === stage.moments.length - 1;
  const moment = stage.moments[stage.at];
  moveClock();
  if (!moment) return;
  drawPictures(moment);
  drawReasons(moment);
  seen.show(...current());
  say(...words(moment));
  const kind = stage.plan ? BELIEF : TRUTH; // what holds is said by the world, or foreseen
  Object.assign($("status-kind"), { hidden: false, className: kind, textContent: kind });
}

function words(moment) {
  const number = stage.at + 1;
  if (moment.step) {
    const holds = moment.satisfied < 0 ? "" : `: ${moment.satisfied} of ${moment.constraints} hold`; // truth
    return [`${stage.plan && stage.at ? "foreseen " : ""}step ${number}${holds}`];
  }
  const moves = stage.at === 1 ? "1 move" : `${stage.at} moves`;
  if (stage.plan) {
    return moment.solved ? [`a plan of ${moves}; then every constraint seems to hold`, "solved"]
      : [`no further after ${moves}`, "failed"];
  }
  const least = `(${moment.minimum_moves} at least)`;
  return moment.solved ? [`solved in ${moves} ${least}`, "solved"]
    : [`not solved: ${moment.satisfied} of ${moment.constraints} hold after ${moves} ${least}`, "failed"];
}

function drawPictures(moment) {
  const slots = $("show-slots").checked && moment.step;
  $("scene").src = slots ? moment.scene_seen : moment.image;
  $("goal").src = slots ? moment.goal_seen : moment.goal;
  const foreseen = stage.plan && stage.at > 0;
  const what = foreseen ? "what the model foresees" : "scene";
  $("scene-words").replaceChildren(...(foreseen ? [el("span", { class: "belief" }, "belief"), " "] : []),
    moment.step ? `${what} before move ${stage.at + 1}` : `${what} at the end`);
  $("nodes").hidden = !moment.step;
  if (!moment.step) {
    $("nodes-words").textContent = "nodes";
    return;
  }
  const { kind, node_from: from, node_to: to, support } = moment.step;
  $("nodes").src = moment.nodes_seen;
  $("nodes").alt = from === null ? "no edge" : `mean masks of node ${from} and node ${to}`;
  $("nodes-words").textContent = from === null ? kind
    : `${kind}: ${from} → ${to}${support ? `, seen ${support} times` : ", never seen"}`;
  state.edge = from === null ? null : [from, to];
}

/** What became of it, where nothing more is done. */
function ending(moment) {
  const moves = stage.at === 1 ? "1 move" : `${stage.at} moves`;
  if (stage.plan) {
    return moment.solved ? [[BELIEF, `After ${moves} every constraint seems to hold, as far as the model can foresee.`]]
      : [[BELIEF, `After ${moves} the model foresees no way to go on.`]];
  }
  if (!moment.solved) {
    return [[TRUTH, `${moment.satisfied} of ${moment.constraints} constraints hold, and no more moves are allowed.`],
      [BELIEF, "Go back a step to see what the model took for what."]];
  }
  const fewest = stage.at === moment.minimum_moves ? "No plan could be shorter." : `${moment.minimum_moves} would have done.`;
  return [[TRUTH, `All ${moment.constraints} constraints hold, so the task is solved.`], [TRUTH, `It took ${moves}. ${fewest}`]];
}

function drawReasons(moment) {
  $("pairs-title").hidden = $("why-kind").hidden = !moment.step;
  if (!moment.step) {
    $("pairs").replaceChildren();
    $("why").replaceChildren(...ending(moment).map(([kind, line]) => el("li", {}, el("span", { class: kind }, kind), " ", ...sentence(line))));
    return;
  }
  const told = new Set();
  $("why").replaceChildren(...moment.step.why.map((line) => el("li", {}, ...sentence(line, told))));
  $("pairs").replaceChildren(...moment.step.pairs.map((pair, index) => {
    const chip = el("li", { class: index === moment.step.chosen ? "chosen" : "" },
      `goal ${pair.goal} ↔ scene ${pair.now}: `
      + (pair.settled ? "seems to hold" : `${pair.apart} away`));
    chip.style.setProperty("--pair", moment.colours[index]);
    return chip;
  }));
}

function moveClock() {
  const last = Math.max(0, stage.moments.length - 1);
  $("time").max = last;
  $("time").value = stage.at;
  for (const id of ["first", "back"]) $(id).disabled = stage.at === 0;
  for (const id of ["forward", "last"]) $(id).disabled = stage.at >= last;
  $("play").disabled = last === 0;
}

export const back = () => { pause(); show(stage.at - 1); };
export const forward = () => { pause(); show(stage.at + 1); };
export const first = () => { pause(); show(0); };
export const last = () => { pause(); show(stage.moments.length - 1); };

export function playOrPause() {
  if (clock) return pause();
  if (stage.moments.length < 2) return undefined;
  if (stage.at === stage.moments.length - 1) show(0);
  $("play").textContent = "❚❚";
  clock = setInterval(() => {
    if (stage.at >= stage.moments.length - 1) pause();
    else show(stage.at + 1);
  }, PACE);
  return undefined;
}

export function pause() {
  clearInterval(clock);
  clock = null;
  $("play").textContent = "▷";
}

export function ready() {
  seen.ready(current);
  const buttons = { back, forward, first, last, play: playOrPause };
  for (const [id, act] of Object.entries(buttons)) $(id).addEventListener("click", act);
  $("time").addEventListener("input", () => { pause(); show(Number($("time").value)); });
  $("show-slots").addEventListener("change", () => stage.moments.length && show(stage.at));
}
