// The slot health tab: 'ncs slots' on a small buffer, figure by figure.

import { $, request, attempt, el, state } from "./page.js";

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
    el("h3", {}, `${told.model} (${told.checkpoint.slice(0, 12)}): ${report.objects === null ? "" : `${report.objects} objects, `}${report.slots} slots, ${report.clips} clips`),
    el("div", { class: "scroll" }, figures(report)),
    el("h3", {}, "Slot by slot"),
    el("div", { class: "scroll" }, shares(report)),
  ]);
  $("report").replaceChildren(...parts,
    el("p", {}, el("a", { href: page, target: "_blank" }, "the whole report with pictures")),
    told.command ? el("pre", {}, told.command) : el("p", { class: "small" }, "It stands beside the model's weights."));
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
    el("td", { class: "number" }, wanted(one)), el("td", {}, one.healthy ? "good" : "poor")));
  return el("table", {}, el("tr", {}, ...["figure", "value", "wanted", ""].map((word) => el("th", {}, word))), ...rows);
}

function shares(report) {
  const rows = report.share.map((share, slot) => el("tr", {}, el("td", {}, `slot ${slot + 1}`),
    el("td", { class: "number" }, share.toFixed(3)), el("td", { class: "number" }, report.entropy[slot].toFixed(3))));
  return el("table", {}, el("tr", {}, ...["", "share of the image", "spread of its mask"].map((word) => el("th", {}, word))), ...rows);
}
