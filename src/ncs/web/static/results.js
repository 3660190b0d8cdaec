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
    ...file.tables.filter((one) => one.score === score).map((one) => el("div", { class: "result" },
      el("div", { class: "scroll" }, el("h3", {}, one.title), table(one)), chart(one)))));
  $("tables").replaceChildren(...(parts.length ? parts : [el("p", {}, "There are no result files; 'ncs evaluate' makes them.")]));
}

function table({ head, rows }) {
  return el("table", {}, el("tr", {}, ...head.map((word) => el("th", {}, word))),
    ...rows.map(({ source, texts }, index) => {
      const dot = el("span", {}, "■ ");
      dot.style.color = COLOURS[index % COLOURS.length];
      const [label, ...others] = texts;
      const last = others.length - 1;
      return el("tr", { class: source }, el("td", {}, dot, label),
        ...others.map((text, at) => el("td", { class: at === last ? "small" : at === last - 1 ? "" : "number" }, text)));
    }));
}

function chart({ rows, title }) {
  const counts = [...new Set(rows.flatMap(({ means }) => means.map(([n]) => n)))].sort((a, b) => a - b);
  const [width, height, left, bottom] = [300, 190, 50, 30];
  const x = (n) => left + 14 + ((n - counts[0]) / Math.max(1, counts.at(-1) - counts[0])) * (width - left - 34);
  const y = (mean) => 12 + (1 - Math.max(0, mean)) * (height - bottom - 12);
  const parts = [0, 0.5, 1].flatMap((mean) => [
    shape("line", { class: "axis", x1: left, x2: width - 8, y1: y(mean), y2: y(mean) }),
    shape("text", { x: left - 6, y: y(mean) + 4, "text-anchor": "end" }, mean.toFixed(1))]);
  parts.push(...counts.map((n) => shape("text", { x: x(n), y: height - 10, "text-anchor": "middle" }, String(n))));
  parts.push(shape("text", { x: left - 6, y: height - 10, "text-anchor": "end" }, "objects"));
  for (const [index, { source, texts, means }] of rows.entries()) {
    const colour = COLOURS[index % COLOURS.length];
    const points = means.map(([n, mean]) => `${x(n)},${y(mean)}`).join(" ");
    const dash = source === "paper" ? "5 4" : "none";
    parts.push(shape("polyline", { points, fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": dash }));
    parts.push(...means.map(([n, mean]) => shape("circle", { cx: x(n), cy: y(mean), r: 3, fill: colour },
      shape("title", {}, `${texts[0]}, ${n} objects: ${mean.toFixed(3)}`))));
  }
  return shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Success by number of objects: ${title}` }, ...parts);
}
