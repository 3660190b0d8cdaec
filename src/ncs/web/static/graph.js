// The graph tab: nodes with their mean masks, edges of the chosen node with the evidence for them.

import { $, request, attempt, el, shape, state } from "./page.js";
import { sentence } from "./words.js";

const SIZE = 720, MARGIN = 44, MOST_ZOOM = 12;
let graph = null, shown = "", wired = false;
let chosen = null; // a node
let view = { x: 0, y: 0, size: SIZE };

export async function showGraph() {
  const { model, preset, nodes } = state.task;
  const wanted = JSON.stringify({ model, preset, nodes });
  if (wanted !== shown) {
    $("graph-facts").textContent = "looking…";
    graph = await request("/api/graph", { model, preset, nodes });
    shown = wanted;
    chosen = null;
    look({ x: 0, y: 0, size: SIZE });
  }
  if (!wired) wire();
  await layOut();
  $("least").max = Math.max(1, ...graph.edges.map((edge) => edge.count));
  $("find-node").max = graph.nodes.length - 1;
  const { facts } = graph;
  $("graph-facts").replaceChildren(`${model}, ${preset}: `, ...sentence(`${facts.nodes} nodes, ${facts.edges} edges`), ` from `
    + `${facts.transitions} moves; ${(100 * facts.coverage).toFixed(0)} % of node pairs have an edge`);
  draw();
  const edge = state.edge && find(...state.edge);
  if (edge) chooseEdge(edge); // that of the step on show
}

function wire() {
  wired = true;
  $("layout").addEventListener("change", () => attempt(async () => { await layOut(); draw(); }));
  $("least").addEventListener("input", draw);
  $("find-node").addEventListener("input", () => {
    const index = Number($("find-node").value);
    if ($("find-node").value !== "" && graph.nodes[index]) { choose(index); centre(index); }
  });
  $("zoom-in").addEventListener("click", () => zoom(1.6));
  $("zoom-out").addEventListener("click", () => zoom(1 / 1.6));
  $("zoom-all").addEventListener("click", () => look({ x: 0, y: 0, size: SIZE }));
  $("drawing").addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, at(event));
  }, { passive: false });
  $("drawing").addEventListener("pointerdown", pan);
}

/** Asks for places by t-SNE when they are wanted for the first time. */
async function layOut() {
  if ($("layout").value !== "tsne" || graph.nodes[0].tsne) return;
  const { model, preset, nodes } = state.task;
  try {
    const { places } = await request("/api/graph/tsne", { model, preset, nodes });
    for (const [index, node] of graph.nodes.entries()) node.tsne = places[index];
  } catch (error) {
    $("layout").value = "mask";
    throw error;
  }
}

const find = (from, to) => graph.edges.find((edge) => edge.from === from && edge.to === to);

/** Where nodes stand on the drawing: their shares of it, stretched to fill it. */
function places() {
  const point = graph.nodes.map((node) => node[$("layout").value]);
  const stretch = (axis) => {
    const all = point.map((one) => one[axis]);
    const [low, high] = [Math.min(...all), Math.max(...all)];
    return (share) => MARGIN + ((share - low) / Math.max(high - low, 1e-9)) * (SIZE - 2 * MARGIN);
  };
  const [x, y] = [stretch(0), stretch(1)];
  return apart(point.map((one) => [x(one[0]), y(one[1])]), [side() + 2, side() + letter() + 4]);
}

/** Nodes with their labels pushed from each other until none hides another, as far as there is room. */
function apart(point, gap) {
  for (let round = 0; round < 60; round += 1) {
    let moved = false;
    for (let i = 0; i < point.length; i += 1) {
      for (let j = 0; j < i; j += 1) {
        const [dx, dy] = [point[i][0] - point[j][0] || 0.1, point[i][1] - point[j][1] || 0.1];
        const lack = [gap[0] - Math.abs(dx), gap[1] - Math.abs(dy)];
        if (Math.min(...lack) <= 0) continue;
        const axis = lack[0] < lack[1] ? 0 : 1, sign = Math.sign([dx, dy][axis]);
        point[i][axis] += (sign * lack[axis]) / 2;
        point[j][axis] -= (sign * lack[axis]) / 2;
        moved = true;
      }
    }
    for (const one of point) for (const axis of [0, 1]) one[axis] = Math.max(side() / 2 + 2, Math.min(one[axis], SIZE - gap[axis] + side() / 2));
    if (!moved) break;
  }
  return point;
}

const side = () => Math.max(16, Math.min(64, 300 / Math.sqrt(graph.nodes.length))); // many nodes are small
const letter = () => Math.max(9, side() / 4);

function draw() {
  $("least-out").textContent = $("least").value;
  const point = places();
  graph.point = point;
  const edges = shape("g", { id: "edges" });
  $("drawing").replaceChildren(edges, ...point.map((one, index) => tile(index, one)));
  if (chosen !== null) choose(chosen);
}

/** The edges that leave a node; those that are seen more often are stronger. */
function drawEdges(edges) {
  const most = Math.max(1, ...graph.edges.map((edge) => edge.count));
  const least = Number($("least").value);
  const lines = edges.filter((edge) => edge.count >= least && edge.from !== edge.to).flatMap((edge) => {
    const ends = curve(graph.point[edge.from], graph.point[edge.to]);
    const share = Math.sqrt(edge.count / most);
    const line = shape("line", { ...ends, "stroke-opacity": 0.35 + 0.6 * share, "stroke-width": 1 + 2 * share });
    const hit = shape("line", { ...ends, class: "hit" });
    for (const event of ["pointerenter", "click"]) hit.addEventListener(event, () => tellEdge(edge));
    return [line, hit];
  });
  $("edges").replaceChildren(...lines);
}

/** An edge beside the straight line, so that there and back are two lines. */
function curve([x1, y1], [x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [(-3 * (y2 - y1)) / length, (3 * (x2 - x1)) / length];
  return { x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy };
}

function tile(index, [x, y]) {
  const node = graph.nodes[index], wide = side();
  const corner = { x: x - wide / 2, y: y - wide / 2, width: wide, height: wide };
  const group = shape("g", { class: "node", tabindex: 0, role: "button",
    "aria-label": `Node ${index}: left ${node.out} times, reached ${node.in} times` },
  shape("image", { ...corner, href: node.tile }), shape("rect", corner),
  shape("text", { x, y: corner.y + wide + letter(), "text-anchor": "middle", "font-size": letter() }, String(index)));
  group.index = index;
  for (const event of ["focus", "click"]) group.addEventListener(event, () => choose(index));
  return group;
}

function choose(index) {
  chosen = index;
  drawEdges(graph.edges.filter((edge) => edge.from === index));
  light([index]);
  tellNode(index);
}

function chooseEdge(edge) {
  chosen = edge.from;
  drawEdges([edge]);
  tellEdge(edge);
}

function light(nodes) {
  for (const group of $("drawing").querySelectorAll("g.node")) {
    group.classList.toggle("lit", nodes.includes(group.index));
  }
}

const metres = (numbers) => `(${numbers.map((number) => number.toFixed(2)).join(", ")})`;

function tellEdge(edge) {
  light([edge.from, edge.to]);
  $("evidence").replaceChildren(
    el("h2", {}, `Edge from node ${edge.from} to node ${edge.to}`),
    el("p", {}, `Seen in ${edge.count} ${edge.count === 1 ? "move" : "moves"} of the buffer.`),
    el("p", {}, `Its action: pick at ${metres(edge.action.slice(0, 2))}, move by ${metres(edge.action.slice(3, 5))} metres.`),
    el("p", {}, edge.spread === null ? "" : `The actions behind it lie ${(1000 * edge.spread).toFixed(1)} mm from it on average.`));
}

function tellNode(index) {
  const out = graph.edges.filter((edge) => edge.from === index).sort((a, b) => b.count - a.count);
  const rows = out.slice(0, 12).map((edge) => el("tr", {}, el("td", {}, `→ ${edge.to}`),
    el("td", { class: "number" }, String(edge.count)), el("td", {}, metres(edge.action.slice(3, 5)))));
  const node = graph.nodes[index];
  $("evidence").replaceChildren(
    el("h2", {}, `Node ${index}`),
    el("p", {}, `Objects left it ${node.out} times and came to it ${node.in} times.`),
    el("table", {}, el("tr", {}, ...["to", "seen", "moved by, metres"].map((word) => el("th", {}, word))), ...rows),
    el("p", { class: "small" }, out.length > 12 ? `and ${out.length - 12} more edges` : ""));
}

/** What part of the drawing is on show: a square. */
function look({ x, y, size }) {
  const within = Math.max(SIZE / MOST_ZOOM, Math.min(SIZE, size));
  view = { size: within, x: Math.max(0, Math.min(x, SIZE - within)), y: Math.max(0, Math.min(y, SIZE - within)) };
  $("drawing").setAttribute("viewBox", `${view.x} ${view.y} ${view.size} ${view.size}`);
}

/** Where in the drawing a pointer is. */
function at(event) {
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform($("drawing").getScreenCTM().inverse());
  return [point.x, point.y];
}

function zoom(factor, [x, y] = [view.x + view.size / 2, view.y + view.size / 2]) {
  const size = Math.max(SIZE / MOST_ZOOM, Math.min(SIZE, view.size / factor));
  look({ size, x: x - ((x - view.x) * size) / view.size, y: y - ((y - view.y) * size) / view.size });
}

function centre(index) {
  const [x, y] = graph.point[index], size = Math.min(view.size, SIZE / 3);
  look({ size, x: x - size / 2, y: y - size / 2 });
}

function pan(event) {
  if (event.button !== 0 || event.target.closest("g.node, .hit")) return;
  const [x, y] = at(event);
  const drag = (now) => {
    const [nx, ny] = at(now);
    look({ size: view.size, x: view.x + x - nx, y: view.y + y - ny });
  };
  const release = () => {
    removeEventListener("pointermove", drag);
    removeEventListener("pointerup", release);
  };
  addEventListener("pointermove", drag);
  addEventListener("pointerup", release);
}
