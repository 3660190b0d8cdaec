// The slot health tab: 'ncs slots' on a small buffer, figure by figure.

import { $, request, attempt, el, shape, state } from "./page.js";

let shown = ""; // the model whose report is on show

export function readyHealth() {
  $("health-form").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(examine);
  });
}

/** The report that stands beside the model, unless one was just made. */
export async function showHealth() {
  const { model } = state.task;
  if (shown === model) return;
  shown = model;
  $("report").replaceChildren();
  const path = `/api/health/${encodeURIComponent(model)}`;
  const { report } = await request(path);
  if (report && shown === model) draw(report, `${path}/page`);
}

async function examine() {
  const wanted = { model: state.task.model, objects: Number($("health-objects").value),
    clips: Number($("health-clips").value) };
  $("examine").disabled = true;
  $("health-status").textContent = `looking at ${wanted.clips} clips; this takes some seconds…`;
  try {
    const told = await request("/api/health", wanted);
    shown = wanted.model;
    draw(told, `/api/health/${encodeURIComponent(wanted.model)}/${wanted.objects}/${wanted.clips}`);
    const ill = told.reports.flatMap((one) => Object.values(one.figures)).filter((one) => !one.healthy).length;
    $("health-status").textContent = ill ? `${ill} figures want attention` : "all figures are good";
  } catch (error) {
    $("health-status").textContent = "";
    throw error;
  } finally {
    $("examine").disabled = false;
  }
}

function draw(told, page) {
  const parts = told.reports.flatMap((report) => [
    el("h2", {}, report.objects === null ? "Without ground truth" : `${report.objects} objects`),
    el("p", { class: "verdict" }, verdict(report)),
    el("div", { class: "multiples" }, ...Object.values(report.figures).map(gauge)),
    fold("All figures", el("div", { class: "scroll" }, figures(report))),
    fold(`Slot by slot: ${report.slots} slots`, el("div", { class: "scroll" }, shares(report))),
  ]);
  $("report").replaceChildren(...parts,
    el("p", {}, el("a", { href: page, target: "_blank" }, "the whole report with pictures")),
    fold("How it was made", el("p", { class: "small" }, `${told.model}, weights ${told.checkpoint.slice(0, 12)}, `
      + `${told.reports.map((one) => `${one.clips} clips`).join(" and ")}`),
    told.command ? el("pre", {}, told.command) : el("p", { class: "small" }, "It stands beside the model's weights.")));
}

const fold = (title, ...inside) => el("details", {}, el("summary", {}, title), ...inside);

/** One sentence that says how well the model sees, and what to look at first. */
function verdict({ figures: all }) {
  const poor = Object.values(all).filter((one) => !one.healthy);
  const count = Object.keys(all).length;
  if (!poor.length) return `It sees well: all ${count} figures are as they should be.`;
  const how = poor.length > count / 3 ? "It does not see well" : "It sees well but for some things";
  return `${how}: ${count - poor.length} of ${count} figures are as they should be. First: ${poor[0].title.toLowerCase()}. ${poor[0].try}`;
}

/** How a value stands to what is wanted, in a word. */
function grade({ value, good, healthy }) {
  if (value === null) return "unknown";
  if (healthy) return "good";
  const off = Math.abs(value - good) / Math.max(Math.abs(good), 1e-9);
  return off < 0.1 ? "nearly good" : off < 0.4 ? "short" : "poor";
}

/** A figure as a bar with a mark where good begins. */
function gauge(one) {
  const top = one.value > 1 || one.good > 1 ? 2 * Math.max(one.value, one.good) : one.good < 0.1 ? 3 * one.good : 1;
  const share = (value) => 100 * Math.max(0, Math.min(1, value / top));
  const bar = shape("svg", { class: one.healthy ? "gauge" : "gauge poor", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    shape("rect", { class: "ground", x: 0, y: 3, width: 100, height: 4 }),
    shape("rect", { class: "value", x: 0, y: 3, width: share(one.value ?? 0), height: 4 }),
    shape("rect", { class: "mark", x: share(one.good) - 0.5, y: 0, width: 1, height: 10 }));
  return el("div", { class: "multiple" }, el("div", {}, one.title), bar,
    el("div", { class: "small" }, `${one.value === null ? "none" : one.value.toFixed(3)}, ${wanted(one)}: ${grade(one)}`));
}

/** The limit of a figure; which side of it is good follows from the verdict. */
function wanted({ value, good, healthy }) {
  if (value === null) return String(good);
  return `${(value >= good) === healthy ? "at least" : "at most"} ${good}`;
}

function figures(report) {
  const rows = Object.entries(report.figures).map(([name, one]) => el("tr", { class: one.healthy ? "" : "ill" },
    el("td", {}, one.title, el("div", { class: "small" }, one.healthy ? "" : `${one.if_bad} Try: ${one.try}`)),
    el("td", { class: "number" }, one.value === null ? "none" : one.value.toFixed(3)),
    el("td", { class: "number" }, wanted(one)), el("td", {}, grade(one))));
  return el("table", {}, el("tr", {}, ...["figure", "value", "wanted", ""].map((word) => el("th", {}, word))), ...rows);
}

function shares(report) {
  const rows = report.share.map((share, slot) => el("tr", {}, el("td", {}, `slot ${slot + 1}`),
    el("td", { class: "number" }, share.toFixed(3)), el("td", { class: "number" }, report.entropy[slot].toFixed(3))));
  return el("table", {}, el("tr", {}, ...["", "share of the image", "spread of its mask"].map((word) => el("th", {}, word))), ...rows);
}
