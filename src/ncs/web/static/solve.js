// The solve tab: a task, how it is to be played, and the episode.

import { $, request, attempt, complain, el, agentOptions, model, state } from "./page.js";
import * as crop from "./crop.js";
import * as handles from "./handles.js";
import * as stage from "./stage.js";

export const { back, forward, first, last, playOrPause } = stage;

const HINT = "drag an object, or select it and use the arrow keys";
let usual = { nodes: 16, slots: 8 }; // what null stands for
let source = null; // of the episode under way
let session = null;
let drawn = 0; // counts scenes asked for, so that an old answer never replaces a newer one

export async function chooseModel(name) {
  state.task.model = name;
  const { presets, most_objects: most } = model();
  for (const option of $("preset").options) option.disabled = !presets.includes(option.value);
  state.task.preset = presets[0]; // a model is shown at its best
  crop.shape(model().shape);
  state.task.objects = Math.min(state.task.objects, most);
  $("objects").max = most;
  state.task.place = [];
  resetOptions();
  await draw();
}

function resetOptions() {
  Object.assign(state.task, { nodes: null, slots: null, choice: null, without: [], only: [] });
  reflect();
}

/** Shows in the controls what the state says. */
function reflect() {
  const { task } = state;
  $("model").value = task.model;
  $("preset").value = task.preset;
  $("objects").value = task.objects;
  $("goal-kind").value = task.goal;
  $("seed").value = task.seed;
  $("choice").value = task.choice || "";
  $("nodes-count").max = usual.nodes > 64 ? 128 : 64;
  $("nodes-count").value = task.nodes || usual.nodes;
  $("slots").value = task.slots || usual.slots;
  $("objects-out").textContent = task.objects;
  $("nodes-out").textContent = task.nodes || `${usual.nodes}, as trained`;
  $("slots-out").textContent = task.slots || `${usual.slots}, as usual`;
  $("undo").hidden = !task.place.length;
  const best = task.preset === "best";
  $("extensions").replaceChildren(...state.extensions.map((name) => {
    const on = best ? !task.without.includes(name) : task.only.includes(name);
    const box = el("input", { type: "checkbox", name, checked: on, id: `ext-${name}` });
    box.addEventListener("change", () => switchExtension(name, box.checked));
    return el("label", {}, box, el("span", {}, name.replace("_", " "), el("small", {}, state.explained[name])));
  }));
}

function switchExtension(name, on) {
  const best = state.task.preset === "best";
  const key = best ? "without" : "only";
  const listed = new Set(state.task[key]);
  if (on === best) listed.delete(name);
  else listed.add(name);
  state.task[key] = state.extensions.filter((one) => listed.has(one));
}

/** Asks for the task's pictures, perhaps with a drag; whether it was accepted comes back. */
async function draw(drag = null) {
  const number = (drawn += 1);
  let scene;
  try {
    scene = await request("/api/scene", { ...state.task, drag });
  } catch (error) {
    complain(error.message);
    return false;
  }
  $("goal-words").textContent = scene.refusal.replace("place: ", "") || HINT;
  $("goal-words").classList.toggle("refusal", Boolean(scene.refusal));
  if (scene.refusal) return false;
  if (number !== drawn) return true;
  complain();
  leave();
  state.task.place = scene.place;
  usual = { nodes: scene.nodes, slots: scene.slots };
  $("scene").src = scene.image;
  $("goal").src = scene.goal;
  $("scene-words").textContent = `scene: ${scene.satisfied} of ${scene.constraints} hold, ${scene.minimum_moves} moves at least`;
  handles.place(scene.handles, (index, x, y) => draw({ index, x, y }));
  const focused = document.activeElement?.id;
  reflect();
  if (focused?.startsWith("ext-")) $(focused)?.focus();
  return true;
}

/** Ends the episode, if any, and goes back to the task. */
function leave() {
  if (source) {
    source.close();
    source = null;
    request(`/api/episodes/${session}`, undefined, "DELETE").catch(() => {});
  }
  working(false);
  stage.clear();
  $("doubt").hidden = true;
}

function working(on) {
  $("go").disabled = on;
  $("look").disabled = on;
  $("stop").hidden = !on;
}

/** Plays the task; with `hold`, what is shown stays at the first step. */
export function start(hold = false) {
  if ($("go").disabled) return;
  stage.stage.hold = hold;
  attempt(async () => {
    working(true);
    stage.say("thinking…");
    try {
      await watch((await request("/api/episodes", state.task)).id, false);
    } catch (error) {
      working(false);
      stage.say("Press solve.");
      throw error;
    }
  });
}

/** Follows an episode as it is played. */
async function watch(id, plan) {
  stage.clear();
  Object.assign(stage.stage, { plan, episode: id });
  stage.say("thinking…");
  session = id;
  source = new EventSource(`/api/episodes/${id}/events`);
  working(true);
  source.addEventListener("moment", (event) => stage.add(JSON.parse(event.data)));
  source.addEventListener("end", (event) => end(id, JSON.parse(event.data)));
  source.onerror = () => {
    if (source?.readyState === EventSource.CLOSED) {
      complain("the server does not answer; is 'ncs view' still running?");
      working(false);
    }
  };
}

function end(id, verdict) {
  source?.close();
  source = null;
  working(false);
  if (verdict.error) complain(verdict.error);
  if (verdict.stopped) stage.say("stopped");
  $("take-home").hidden = false;
  $("gif").href = `/api/episodes/${id}/solve.gif`;
  $("trace").href = `/api/episodes/${id}/trace.json`;
  $("pair-files").replaceChildren(...verdict.files.flatMap((name) => [" · ",
    el("a", { href: `/api/episodes/${id}/${name}`, download: name }, name)]));
  $("command").textContent = verdict.commands.join("\n");
}

export function another() {
  state.task.seed = Math.floor(Math.random() * 1e6);
  state.task.place = [];
  return draw();
}

export function toggleSlots() {
  $("show-slots").click();
}

function lookAtOwn() {
  attempt(async () => {
    const [image, goal] = [$("own-image").files[0], $("own-goal").files[0]];
    if (!image || !goal) throw new Error("choose a picture of the scene and one of the goal first");
    const form = new FormData();
    form.append("options", JSON.stringify({ ...agentOptions(), crop: crop.chosen() }));
    form.append("image", image);
    form.append("goal", goal);
    const { id, warning } = await request("/api/plans", form);
    drawn += 1;
    handles.removeAll();
    await watch(id, true);
    $("doubt").textContent = warning && `Careful: ${warning}.`;
    $("doubt").hidden = !warning;
  });
}

/** A control that changes the task: the pictures are drawn anew. */
function onTask(id, event, change) {
  $(id).addEventListener(event, () => {
    change($(id).value);
    state.task.place = [];
    draw();
  });
}

/** A control that changes the options: what is on the stage stays for comparison. */
function onOption(id, event, change) {
  $(id).addEventListener(event, () => {
    change($(id).value);
    reflect();
  });
}

export function ready() {
  const { task } = state;
  stage.ready();
  $("controls").addEventListener("submit", (event) => { event.preventDefault(); start(); });
  $("stop").addEventListener("click", () => attempt(() => request(`/api/episodes/${session}`, undefined, "DELETE")));
  $("another").addEventListener("click", another);
  $("look").addEventListener("click", lookAtOwn);
  crop.ready();
  $("usual").addEventListener("click", resetOptions);
  $("undo").addEventListener("click", () => { task.place = []; draw(); });
  $("copy").addEventListener("click", () => attempt(() => navigator.clipboard.writeText($("command").textContent)));
  $("objects").addEventListener("input", () => { $("objects-out").textContent = $("objects").value; });
  onTask("objects", "change", (value) => { task.objects = Number(value); });
  onTask("goal-kind", "change", (value) => { task.goal = value; });
  onTask("seed", "change", (value) => { task.seed = Math.max(0, Math.floor(Number(value) || 0)); });
  $("preset").addEventListener("change", () => {
    Object.assign(task, { preset: $("preset").value, nodes: null, choice: null, without: [], only: [] });
    draw();
  });
  onOption("choice", "change", (value) => { task.choice = value || null; });
  onOption("nodes-count", "input", (value) => { task.nodes = Number(value); });
  onOption("slots", "input", (value) => { task.slots = Number(value); });
}
