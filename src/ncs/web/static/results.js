// The results tab: tables beside the paper's, a chart of each, and figures.

import { $, request, el, shape } from "./page.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#8a8a8a"];
const MOST_LINES = COLOURS.length; // more cannot be told apart
const MOST_COLUMNS = 5; // that a telephone shows in letters of the usual size
let known = null;

export async function showResults() {
  if (!known) {
    $("score").addEventListener("change", draw);
    $("tables").replaceChildren(el("p", { class: "faint" }, "reading the results…"));
  }
  known = await request("/api/results");
  draw();
  $("figures").replaceChildren(...known.figures.map((name) => el("figure", {},
    el("a", { href: `/api/figures/${encodeURIComponent(name)}`, target: "_blank" },
      el("img", { src: `/api/figures/${encodeURIComponent(name)}`, alt: `Figure ${name}`, loading: "lazy" })),
    el("figcaption", {}, name.replaceAll("--", "/")))));
}

function draw() {
  const score = $("score").value;
  const parts = known.files.map((file) => el("section", {}, el("h2", {}, file.name),
    ...(file.error ? [el("p", { class: "refusal" }, file.error)] : []),
    ...file.tables.filter((one) => one.score === score).map(result)));
  $("tables").replaceChildren(...(parts.length ? parts : [el("p", {}, "There are no result files; 'ncs evaluate' makes them.")]));
}

/** A table and the chart of its lines; which lines is for the reader to say. */
function result(one) {
  const chosen = new Set(one.rows.keys());
  for (const index of [...chosen].slice(MOST_LINES)) chosen.delete(index);
  const holder = el("div", { class: "result" });
  const redraw = () => holder.replaceChildren(
    el("div", {}, el("h3", {}, one.title), table(one, chosen, redraw)), chart(one, chosen));
  redraw();
  for (const event of ["pointerover", "focusin"]) holder.addEventListener(event, (at) => light(holder, at.target));
  holder.addEventListener("pointerleave", () => light(holder, null));
  return holder;
}

/** The line and the row that are pointed at stand out from the others. */
function light(holder, target) {
  const row = target?.closest?.("[data-row]")?.dataset.row;
  for (const one of holder.querySelectorAll("[data-row]")) {
    one.classList.toggle("lit", one.dataset.row === row);
    one.classList.toggle("dim", row !== undefined && one.dataset.row !== row);
  }
}

const colourOf = (chosen, index) => COLOURS[[...chosen].sort((a, b) => a - b).indexOf(index)];

function table({ head, rows }, chosen, redraw) {
  const counts = head.slice(0, -2); // evidence and checkpoint are told on demand
  return el("table", { class: counts.length > MOST_COLUMNS ? "results wide" : "results" },
    el("thead", {}, el("tr", {}, ...counts.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, ...rows.flatMap((row, index) => lines(row, index, head, chosen, redraw))));
}

function lines({ source, texts }, index, head, chosen, redraw) {
  const [label, ...others] = texts;
  const [evidence, checkpoint] = others.slice(-2);
  const box = el("input", { type: "checkbox", checked: chosen.has(index), "aria-label": `Draw ${label}`,
    disabled: !chosen.has(index) && chosen.size >= MOST_LINES });
  box.addEventListener("change", () => { chosen[box.checked ? "add" : "delete"](index); redraw(); });
  const dot = el("span", { class: "dot" }, "■ ");
  dot.style.color = chosen.has(index) ? colourOf(chosen, index) : "transparent";
  const told = el("tr", { hidden: true }, el("td", { colSpan: head.length - 2, class: "small" },
    [evidence, checkpoint && `checkpoint ${checkpoint}`, source === "paper" && "as the paper prints it"].filter(Boolean).join("; ")));
  const more = el("button", { class: "more", "aria-expanded": "false", title: "What stands behind it" }, label);
  more.addEventListener("click", () => {
    told.hidden = !told.hidden;
    more.setAttribute("aria-expanded", String(!told.hidden));
  });
  const row = el("tr", { class: source }, el("th", { scope: "row" }, box, dot, more),
    ...others.slice(0, -2).map((text) => el("td", { class: "number" }, text)));
  row.dataset.row = index;
  return [row, told];
}

function chart({ rows, title }, chosen) {
  const drawn = [...rows.entries()].filter(([index]) => chosen.has(index));
  const counts = [...new Set(rows.flatMap(({ means }) => means.map(([n]) => n)))].sort((a, b) => a - b);
  const [width, height, left, bottom] = [300, 190, 50, 30];
  const x = (n) => left + 14 + ((n - counts[0]) / Math.max(1, counts.at(-1) - counts[0])) * (width - left - 34);
  const y = (mean) => 12 + (1 - Math.max(0, mean)) * (height - bottom - 12);
  const parts = [0, 0.5, 1].flatMap((mean) => [
    shape("line", { class: "axis", x1: left, x2: width - 8, y1: y(mean), y2: y(mean) }),
    shape("text", { x: left - 6, y: y(mean) + 4, "text-anchor": "end" }, mean.toFixed(1))]);
  parts.push(...counts.map((n) => shape("text", { x: x(n), y: height - 10, "text-anchor": "middle" }, String(n))));
  parts.push(shape("text", { x: left - 6, y: height - 10, "text-anchor": "end" }, "objects"));
  parts.push(...drawn.map(([index, row]) => line(index, row, colourOf(chosen, index), x, y)));
  return shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Success by number of objects: ${title}` }, ...parts);
}

function line(index, { source, texts, means }, colour, x, y) {
  const points = means.map(([n, mean]) => `${x(n)},${y(mean)}`).join(" ");
  const group = shape("g", { class: "line", "data-row": index },
    shape("polyline", { points, fill: "none", stroke: colour, "stroke-dasharray": source === "paper" ? "5 4" : "none" }),
    ...means.map(([n, mean, text]) => shape("circle", { cx: x(n), cy: y(mean), r: 3, fill: colour },
      shape("title", {}, `${texts[0]}, ${n} objects: ${text}`))));
  return group;
}
