// Starts the page: models, tabs, keys, light and dark.

import { $, request, attempt, el, state } from "./page.js";
import { showGraph } from "./graph.js";
import { readyHealth, showHealth } from "./health.js";
import { showResults } from "./results.js";
import * as solve from "./solve.js";
import { firstVisit, readyTour } from "./tour.js";
import { readyWords } from "./words.js";

const TABS = ["solve", "graph", "results", "health"];
const ON_SHOW = { graph: showGraph, results: showResults, health: showHealth };

export function showTab(name) {
  for (const tab of TABS) {
    const chosen = tab === name;
    $(tab).hidden = !chosen;
    $(`tab-${tab}`).setAttribute("aria-selected", String(chosen));
    $(`tab-${tab}`).tabIndex = chosen ? 0 : -1;
  }
  if (ON_SHOW[name]) attempt(ON_SHOW[name]);
}

function readyTabs() {
  for (const [number, tab] of TABS.entries()) {
    $(`tab-${tab}`).addEventListener("click", () => showTab(tab));
    $(`tab-${tab}`).addEventListener("keydown", (event) => {
      const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!turn) return;
      event.preventDefault();
      event.stopPropagation();
      const next = TABS[(number + turn + TABS.length) % TABS.length];
      showTab(next);
      $(`tab-${next}`).focus();
    });
  }
}

function readyTheme() {
  const root = document.documentElement;
  try { root.dataset.theme = localStorage.getItem("theme") || ""; } catch { /* private window */ }
  $("theme").addEventListener("click", () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private window */ }
  });
}

function readyKeys() {
  const keys = { s: solve.start, n: solve.another, m: solve.toggleSlots, " ": solve.playOrPause,
    ArrowLeft: solve.back, ArrowRight: solve.forward, Home: solve.first, End: solve.last };
  document.addEventListener("keydown", (event) => {
    const busy = event.target.closest("input, select, textarea, .handle, [role=tab], #tour, #crop-box");
    if (busy || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === " " && event.target.closest("button, a")) return;
    const tab = TABS[Number(event.key) - 1];
    if (tab) showTab(tab);
    else if (keys[event.key] && !$("solve").hidden) {
      event.preventDefault();
      keys[event.key]();
    }
  });
}

async function begin() {
  readyTabs();
  readyTheme();
  readyWords();
  const known = await request("/api/models");
  state.models = known.models.filter((one) => one.most_objects > 0);
  state.explained = known.extensions;
  state.extensions = Object.keys(known.extensions);
  for (const one of known.models) {
    const usable = state.models.includes(one);
    const text = usable ? `${one.world}: ${one.name}` : one.error || `${one.name}: ${one.world} is not installed`;
    $("model").append(el("option", { value: one.name, disabled: !usable }, text));
  }
  if (!state.models.length) throw new Error("no model here can be used; see the list above");
  $("model").addEventListener("change", async () => {
    await attempt(() => solve.chooseModel($("model").value));
    const open = TABS.find((tab) => !$(tab).hidden);
    if (ON_SHOW[open]) await attempt(ON_SHOW[open]);
  });
  readyHealth();
  solve.ready();
  readyKeys();
  await solve.chooseModel(state.models[0].name);
  readyTour();
  document.body.dataset.ready = "yes";
  firstVisit();
}

attempt(begin);
