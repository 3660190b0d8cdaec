// The graph tab: nodes with their mean masks, edges with their actions and the evidence for them.

import { $, request, el, shape, state } from "./page.js";

const SIZE = 720, MARGIN = 44;
let graph = null, shown = "", wired = false;

export async function showGraph() {
  const { model, preset, nodes } = state.task;
  const wanted = JSON.stringify({ model, preset, nodes });
  if (wanted !== shown) {
    $("graph-facts").textContent = "looking…";
    graph = await request("/api/graph", { model, preset, nodes });
    shown = wanted;
  }
  if (!wired) {
    $("layout").addEventListener("change", draw);
    $("least").addEventListener("input", draw);
    wired = true;
  }
  const tsne = $("layout").querySelector("[value=tsne]");
  tsne.disabled = Boolean(graph.no_tsne);
  tsne.textContent = graph.no_tsne ? `by t-SNE (${graph.no_tsne})` : "by t-SNE";
  if (graph.no_tsne) $("layout").value = "mask";
  $("least").max = Math.max(1, ...graph.edges.map((edge) => edge.count));
  const { facts } = graph;
  $("graph-facts").textContent = `${model}, ${preset}: ${facts.nodes} nodes, ${facts.edges} edges from `
    + `${facts.transitions} moves; ${(100 * facts.coverage).toFixed(0)} % of node pairs have an edge`;
  draw();
}

/** Where nodes stand on the drawing: their shares of it, stretched to fill it. */
function places() {
  const at = graph.nodes.map((node) => node[$("layout").value]);
  const stretch = (axis) => {
    const all = at.map((point) => point[axis]);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    return (share) => MARGIN + ((share - low) / Math.max(high - low, 1e-9)) * (SIZE - 2 * MARGIN);
  };
  const [x, y] = [stretch(0), stretch(1)];
  return at.map((point) => [x(point[0]), y(point[1])]);
}

function draw() {
  const least = Number($("least").value);
  $("least-out").textContent = least;
  const at = places();
  const most = Math.max(1, ...graph.edges.map((edge) => edge.count));
  const edges = graph.edges.filter((edge) => edge.count >= least && edge.from !== edge.to);
  const lines = [], hits = [];
  for (const edge of edges) {
    const ends = curve(at[edge.from], at[edge.to]);
    const share = Math.sqrt(edge.count / most);
    const line = shape("line", { ...ends, "stroke-opacity": 0.08 + 0.7 * share, "stroke-width": 1 + 2 * share });
    line.edge = edge;
    const hit = shape("line", { ...ends, class: "hit" });
    hit.addEventListener("pointerenter", () => tellEdge(edge));
    hit.addEventListener("click", () => tellEdge(edge));
    lines.push(line);
    hits.push(hit);
  }
  $("drawing").replaceChildren(...lines, ...hits, ...at.map((point, index) => tile(index, point)));
  if (state.edge) {
    const [from, to] = state.edge;
    const edge = graph.edges.find((one) => one.from === from && one.to === to);
    if (edge) tellEdge(edge);
  }
}

/** An edge beside the straight line, so that there and back are two lines. */
function curve([x1, y1], [x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(-3 * (y2 - y1)) / length, (3 * (x2 - x1)) / length];
  return { x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy };
}

function tile(index, [x, y]) {
  const node = graph.nodes[index];
  const side = Math.max(26, Math.min(52, 270 / Math.sqrt(graph.nodes.length))); // many nodes are small
  const corner = { x: x - side / 2, y: y - side / 2, width: side, height: side };
  const group = shape("g", { class: "node", tabindex: 0, role: "button",
    "aria-label": `Node ${index}: left ${node.out} times, reached ${node.in} times` },
  shape("image", { ...corner, href: node.tile }), shape("rect", corner),
  shape("text", { x: corner.x + 3, y: corner.y + 13 }, String(index)));
  group.index = index;
  for (const event of ["pointerenter", "focus", "click"]) group.addEventListener(event, () => tellNode(index));
  return group;
}

function light(test, nodes) {
  for (const line of $("drawing").querySelectorAll("line:not(.hit)")) {
    line.classList.toggle("lit", test(line.edge));
    line.classList.toggle("dim", !test(line.edge));
  }
  for (const group of $("drawing").querySelectorAll("g.node")) {
    group.classList.toggle("lit", nodes.includes(group.index));
  }
}

const metres = (numbers) => `(${numbers.map((number) => number.toFixed(2)).join(", ")})`;

function tellEdge(edge) {
  light((one) => one === edge, [edge.from, edge.to]);
  $("evidence").replaceChildren(
    el("h2", {}, `Edge from node ${edge.from} to node ${edge.to}`),
    el("p", {}, `Seen in ${edge.count} ${edge.count === 1 ? "move" : "moves"} of the buffer.`),
    el("p", {}, `Its action: pick at ${metres(edge.action.slice(0, 2))}, move by ${metres(edge.action.slice(3, 5))} metres.`),
    el("p", {}, edge.spread === null ? "" : `The actions behind it lie ${(1000 * edge.spread).toFixed(1)} mm from it on average.`));
}

function tellNode(index) {
  const out = graph.edges.filter((edge) => edge.from === index).sort((a, b) => b.count - a.count);
  light((edge) => edge.from === index, [index]);
  const rows = out.slice(0, 12).map((edge) => el("tr", {}, el("td", {}, `→ ${edge.to}`),
    el("td", { class: "number" }, String(edge.count)), el("td", {}, metres(edge.action.slice(3, 5)))));
  const node = graph.nodes[index];
  $("evidence").replaceChildren(
    el("h2", {}, `Node ${index}`),
    el("p", {}, `Objects left it ${node.out} times and came to it ${node.in} times.`),
    el("table", {}, el("tr", {}, ...["to", "seen", "moved by, metres"].map((word) => el("th", {}, word))), ...rows),
    el("p", { class: "small" }, out.length > 12 ? `and ${out.length - 12} more edges` : ""));
}
