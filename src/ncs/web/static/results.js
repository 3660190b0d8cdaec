// The results tab: tables beside the paper's, a chart of each, and figures.

import { $, request, el, shape } from "./page.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a8a8a"];
let known = null;

export async function showResults() {
  if (!known) $("score").addEventListener("change", draw);
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
    ...tables(file.cells.filter((cell) => cell.score === score))));
  $("tables").replaceChildren(...(parts.length ? parts : [el("p", {}, "There are no result files; 'ncs evaluate' makes them.")]));
}

function group(items, key) {
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(item);
  }
  return [...groups.entries()];
}

function tables(cells) {
  return group(cells, (cell) => `${cell.world}, ${cell.goal} goals`).map(([title, own]) => {
    const counts = [...new Set(own.map((cell) => cell.objects))].sort((a, b) => a - b);
    const rows = group(own, (cell) => [cell.method, cell.source, cell.split, cell.config, cell.checkpoint].join("|"));
    return el("div", { class: "result" },
      el("div", { class: "scroll" }, el("h3", {}, title), table(counts, rows)), chart(counts, rows, title));
  });
}

const label = ({ method, label: name, source, split }) => (source === "paper" ? `${method} (paper)`
  : `${name ?? method}${split === "test" ? "" : `, ${split} tasks`}`);

function table(counts, rows) {
  const head = ["method", ...counts.map((n) => `${n} objects`), "seeds x episodes", "checkpoint"];
  return el("table", {}, el("tr", {}, ...head.map((word) => el("th", {}, word))),
    ...rows.map(([, cells], index) => {
      const by = new Map(cells.map((cell) => [cell.objects, cell]));
      const dot = el("span", {}, "■ ");
      dot.style.color = COLOURS[index % COLOURS.length];
      const numbers = counts.map((n) => el("td", { class: "number" }, by.has(n)
        ? by.get(n).mean.toFixed(3) + (by.get(n).seeds > 1 ? ` ±${by.get(n).error.toFixed(3)}` : "") : ""));
      const one = cells[0];
      return el("tr", { class: one.source }, el("td", {}, dot, label(one)), ...numbers,
        el("td", {}, `${one.seeds} x ${one.episodes / one.seeds}`), el("td", { class: "small" }, one.checkpoint));
    }));
}

function chart(counts, rows, title) {
  const [width, height, left, bottom] = [300, 190, 50, 30];
  const x = (n) => left + 14 + ((n - counts[0]) / Math.max(1, counts.at(-1) - counts[0])) * (width - left - 34);
  const y = (mean) => 12 + (1 - Math.max(0, mean)) * (height - bottom - 12);
  const parts = [0, 0.5, 1].flatMap((mean) => [
    shape("line", { class: "axis", x1: left, x2: width - 8, y1: y(mean), y2: y(mean) }),
    shape("text", { x: left - 6, y: y(mean) + 4, "text-anchor": "end" }, mean.toFixed(1))]);
  parts.push(...counts.map((n) => shape("text", { x: x(n), y: height - 10, "text-anchor": "middle" }, String(n))));
  parts.push(shape("text", { x: left - 6, y: height - 10, "text-anchor": "end" }, "objects"));
  for (const [index, [, cells]] of rows.entries()) {
    const colour = COLOURS[index % COLOURS.length];
    const points = cells.map((cell) => `${x(cell.objects)},${y(cell.mean)}`).join(" ");
    const dash = cells[0].source === "paper" ? "5 4" : "none";
    parts.push(shape("polyline", { points, fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": dash }));
    parts.push(...cells.map((cell) => shape("circle", { cx: x(cell.objects), cy: y(cell.mean), r: 3, fill: colour },
      shape("title", {}, `${label(cell)}, ${cell.objects} objects: ${cell.mean.toFixed(3)}`))));
  }
  return shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Success by number of objects: ${title}` }, ...parts);
}
