// What every tab uses: elements, requests, complaints.

export const $ = (id) => document.getElementById(id);

/** A new element with properties, and children that are elements or text. */
export function el(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") made.className = value;
    else if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

/** A new element of a drawing. */
export function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Says what went wrong, or nothing any more. */
export function complain(text = "") {
  $("complaint").textContent = text;
  $("complaint").hidden = !text;
}

/** The JSON answer to a request; an error carries the server's one line. */
export async function request(path, body, method = body === undefined ? "GET" : "POST") {
  const options = { method };
  if (body instanceof FormData) options.body = body;
  else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers = { "content-type": "application/json" };
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer; is 'ncs view' still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error || `the server says ${response.status}`);
  return answer;
}

/** Runs something and shows its error instead of throwing it. */
export async function attempt(work) {
  complain();
  try {
    return await work();
  } catch (error) {
    complain(error.message);
    return undefined;
  }
}

// What is asked for, shared by the tabs; null means as the preset has it.
export const state = {
  models: [],
  extensions: [],
  explained: {}, // what each extension does
  task: { model: "", preset: "best", nodes: null, slots: null, choice: null, without: [], only: [],
    objects: 5, goal: "complete", seed: 3, place: [] },
  edge: null, // [from, to] of the step on show
};

export const agentOptions = () => {
  const { model, preset, nodes, slots, choice, without, only } = state.task;
  return { model, preset, nodes, slots, choice, without, only };
};

export const model = () => state.models.find((one) => one.name === state.task.model);
