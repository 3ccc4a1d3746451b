// The console: it asks the administration port every two seconds and shows what
// it says. Texts of others only ever become text nodes.
"use strict";

const PERIOD_MS = 2000;
const KEPT = 90;
const view = document.getElementById("view");
const notice = document.getElementById("notice");
let mayChange = false;
let before = null;
const history = { rate: [], latency: [], errors: [], cpu: [] };
let perOperation = new Map();

// Elements: make("td", {class: "number"}, "12", another element).
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "onclick" || key === "onsubmit") element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function say(text) {
  notice.textContent = text;
  notice.hidden = !text;
}

async function ask(path) {
  const answer = await fetch(path, { headers: { accept: "application/json", ...operator.headers() } });
  if (answer.status === 404) return null;
  if (!answer.ok && answer.status !== 503) throw new Error(`${path}: ${answer.status}`);
  return answer.headers.get("content-type").includes("json") ? answer.json() : answer.text();
}

// What the end of a task that is not done at once is said to be.
const purged = {
  refused: "refused, since its transaction is not purgeable; force ends it whatever it does",
  deferred: "it ends when it next waits",
};

async function change(path, what) {
  try {
    const answer = await fetch(path, { method: "POST", headers: operator.headers() });
    const told = await answer.json().catch(() => ({}));
    const why = [told.error || told.detail].concat(told.faults || []).filter(Boolean).join("\n");
    say(`${what}: ${answer.ok ? purged[told.purge] || "done" : why || answer.status}`);
  } catch (error) {
    say(`${what}: ${error.message}`);
  }
  await refresh();
}

function action(label, path, what, sure) {
  if (!mayChange) return null;
  const run = () => {
    if (!sure || window.confirm(`${what}?`)) change(path, what);
  };
  return make("button", { type: "button", onclick: run }, label);
}

function table(heads, rows, empty) {
  if (rows.length === 0) return make("div", { class: "scroll" }, make("p", { class: "empty" }, empty));
  const head = heads.map((h) => make("th", h.startsWith(">") ? { class: "number" } : {}, h.replace(/^>/, "")));
  return make("div", { class: "scroll" },
    make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)));
}

const cell = (text, kind) => make("td", kind ? { class: kind } : {}, text instanceof Node ? text : String(text ?? ""));
const number = (value, digits = 0) =>
  Number(value).toLocaleString("en", { maximumFractionDigits: digits, minimumFractionDigits: digits });
const time = (seconds) =>
  seconds === null ? "–" : seconds < 0.001 ? `${number(seconds * 1e6)} µs` : seconds < 1 ? `${number(seconds * 1e3, 1)} ms` : `${number(seconds, 2)} s`;

// Samples of the Prometheus text format: name, labels, value.
function samples(text) {
  const all = [];
  for (const line of text.split("\n")) {
    const found = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!found) continue;
    const labels = {};
    for (const [, key, value] of (found[2] || "").matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)) {
      labels[key] = value.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
    }
    all.push({ name: found[1], labels, value: Number(found[3]) });
  }
  return all;
}

// Counters of one moment, by operation and all together.
function counters(text) {
  const sum = { at: performance.now() / 1000, operations: new Map(), gauges: {}, cpu: 0 };
  for (const { name, labels, value } of samples(text)) {
    if (name === "tupelo_engine_cpu_seconds_total") sum.cpu += value;
    if (!labels.path) {
      if (Object.keys(labels).length === 0) sum.gauges[name] = value;
      continue;
    }
    const key = `${labels.api} ${labels.method} ${labels.path}`;
    if (!sum.operations.has(key)) sum.operations.set(key, { requests: 0, errors: 0, buckets: new Map(), cpu: 0, bytes: 0 });
    const operation = sum.operations.get(key);
    if (name === "tupelo_gateway_requests_total") {
      operation.requests += value;
      if (labels.status === "5xx") operation.errors += value;
    } else if (name === "tupelo_gateway_request_duration_seconds_bucket") {
      operation.buckets.set(labels.le, value);
    } else if (name === "tupelo_gateway_program_cpu_seconds_total") {
      operation.cpu = value;
    } else if (name.endsWith("_bytes_total")) {
      operation.bytes += value;
    }
  }
  return sum;
}

// The bound that a share of the requests kept to, between two moments.
function quantile(now, then, share) {
  const bounds = [...now.keys()].map((le) => [le === "+Inf" ? Infinity : Number(le), now.get(le) - (then?.get(le) || 0)]);
  bounds.sort((a, b) => a[0] - b[0]);
  const total = bounds.length ? bounds[bounds.length - 1][1] : 0;
  if (total <= 0) return null;
  let last = 0;
  for (const [bound, below] of bounds) {
    if (below >= share * total) return bound === Infinity ? last : bound;
    last = bound;
  }
  return last;
}

function difference(now, then) {
  const seconds = now.at - then.at;
  const whole = { requests: 0, errors: 0, buckets: new Map(), old: new Map() };
  const rates = new Map();
  for (const [key, operation] of now.operations) {
    const old = then.operations.get(key) || { requests: 0, errors: 0, buckets: new Map(), cpu: 0, bytes: 0 };
    const requests = operation.requests - old.requests;
    whole.requests += requests;
    whole.errors += operation.errors - old.errors;
    for (const [le, value] of operation.buckets) {
      whole.buckets.set(le, (whole.buckets.get(le) || 0) + value);
      whole.old.set(le, (whole.old.get(le) || 0) + (old.buckets.get(le) || 0));
    }
    rates.set(key, {
      rate: requests / seconds,
      errors: (operation.errors - old.errors) / seconds,
      median: quantile(operation.buckets, old.buckets, 0.5),
      high: quantile(operation.buckets, old.buckets, 0.99),
      cpu: requests > 0 ? (operation.cpu - old.cpu) / requests : null,
      total: operation.requests,
    });
  }
  perOperation = rates;
  const keep = (list, value) => {
    list.push(value);
    if (list.length > KEPT) list.shift();
  };
  keep(history.rate, whole.requests / seconds);
  keep(history.errors, whole.errors / seconds);
  keep(history.latency, quantile(whole.buckets, whole.old, 0.99));
  keep(history.cpu, ((now.cpu - then.cpu) / seconds) * 100);
}

function line(values) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", `0 0 ${KEPT - 1} 40`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const top = Math.max(...values.map((v) => v || 0), 1e-9);
  let d = "";
  values.forEach((value, i) => {
    if (value === null) return;
    const x = KEPT - values.length + i;
    d += `${d ? "L" : "M"}${x} ${(38 - (36 * value) / top).toFixed(1)}`;
  });
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", d || "M0 38");
  svg.append(path);
  return svg;
}

function card(title, figure, beside, values) {
  return make("div", { class: "card" }, make("h3", {}, title), make("div", { class: "figure" }, figure),
    make("div", { class: "beside" }, beside), values ? line(values) : null);
}

const last = (list) => (list.length ? list[list.length - 1] : null);

const views = {
  async overview() {
    const top = await ask("/top");
    const gauges = before?.gauges || {};
    const statistics = top?.statistics;
    const figure = (value, digits) => (value === null ? "–" : number(value, digits));
    const cards = [
      card("Requests a second", figure(last(history.rate), 1), "by the APIs' operations", history.rate),
      card("99 of 100 within", time(last(history.latency)), "of the last two seconds", history.latency),
      card("Server errors a second", figure(last(history.errors), 1), "answers 5xx", history.errors),
      card("CPU", `${figure(last(history.cpu), 0)} %`, "of one processor, all processes", history.cpu),
      card("Connections", number(gauges.tupelo_gateway_connections_open || 0), "open at the gateway"),
    ];
    if (statistics) {
      cards.push(
        card("Tasks", `${number(statistics.active)} of ${number(top.resources.max_tasks)}`, `${number(statistics.waiting)} waiting, ${number(statistics.peak_active)} at most so far`),
        card("Tasks ended", number(statistics.tasks_ok), `${number(statistics.tasks_abended)} abended`),
        card("Workers", number(statistics.workers), `${number(statistics.workers_lost)} lost`),
        card("Commits", number(statistics.commits), `${number(statistics.backouts)} backed out, ${number(statistics.deadlocks)} deadlocks`),
      );
    }
    return [make("div", { class: "cards" }, ...cards), make("h2", {}, "Operations"), operations()];
  },

  async apis() {
    const { apis } = await ask("/apis");
    const rows = [];
    for (const api of apis) {
      const stopped = api.state === "stopped";
      const path = `/apis/${encodeURIComponent(api.name)}`;
      rows.push(make("tr", {}, cell(make("strong", {}, api.name)), cell(`${api.title} ${api.version}`),
        cell(make("a", { href: api.document }, "document")),
        cell(api.state, stopped ? "bad" : "good"),
        cell(make("span", {}, ...[
          action(stopped ? "start" : "stop", `${path}/${stopped ? "start" : "stop"}`, `${stopped ? "Start" : "Stop"} ${api.name}`, !stopped),
          action("redeploy", `${path}/redeploy`, `Redeploy ${api.name}`),
        ].filter(Boolean)), "actions")));
      for (const operation of api.operations) {
        const called = `${operation.method} ${operation.path}`;
        const halted = operation.state === "stopped";
        const query = `?operation=${encodeURIComponent(called)}`;
        const verb = halted ? "start" : "stop";
        rows.push(make("tr", { class: "part" }, cell(operation.method, "code"), cell(operation.path, "code"),
          cell(operation.program, "code"), cell(halted ? "stopped" : "", "bad"),
          cell(action(verb, `${path}/${verb}${query}`, `${halted ? "Start" : "Stop"} ${called}`, !halted) || "", "actions")));
      }
    }
    const health = await ask("/health");
    const missing = (health.notServed || []).map((api) => make("tr", {}, cell(make("strong", {}, api.api)), cell(api.reason),
      cell(action("redeploy", `/apis/${encodeURIComponent(api.api)}/redeploy`, `Redeploy ${api.api}`) || "", "actions")));
    const parts = [make("h2", {}, "Served"), table(["API", "", "", "state", ""], rows, "No API is served.")];
    if (missing.length) parts.push(make("h2", {}, "Not served"), table(["API", "why", ""], missing, ""));
    return parts;
  },

  async tasks() {
    const [tasks, locks, messages] = await Promise.all([ask("/tasks"), ask("/locks"), ask("/messages")]);
    if (!tasks) return [elsewhere()];
    const rows = tasks.map((task) => make("tr", {}, cell(task.task, "number"), cell(task.transid, "code"), cell(task.userid, "code"),
      cell(task.status), cell(`${task.suspend_type} ${task.suspend_value}`.trim()), cell(time(task.age_ms / 1000), "number"),
      cell(make("span", {}, ...[
        action("purge", `/tasks/${task.task}/purge`, `Purge task ${task.task}`, true),
        action("force", `/tasks/${task.task}/forcepurge`, `Purge task ${task.task} by force`, true),
      ].filter(Boolean)), "actions")));
    const held = locks.map((lock) => make("tr", {}, cell(lock.name, "code"), cell(lock.owner, "number"), cell(lock.transid, "code"), cell(lock.waiters.join(", "))));
    const asked = messages.map((message) => make("tr", {}, cell(message.message, "number"), cell(message.transid, "code"), cell(message.text),
      cell(mayChange ? reply(message.message) : "", "actions")));
    const parts = [make("h2", {}, "Tasks"), table([">task", "transaction", "user", "status", "waits for", ">age", ""], rows, "No task is active.")];
    if (mayChange) parts.push(starter());
    parts.push(make("h2", {}, "Locks"), table(["lock", ">owner", "transaction", "waiters"], held, "Nothing is locked."),
      make("h2", {}, "Messages to the operator"), table([">message", "transaction", "text", ""], asked, "No task waits for a reply."));
    return parts;
  },

  async terminals() {
    const [tasks, partners, sockets] = await Promise.all([ask("/tasks"), ask("/partners"), ask("/sockets/list")]);
    if (!tasks) return [elsewhere()];
    const kinds = { QD: "queue", TO: "terminal" };
    const rows = tasks.filter((task) => task.facility.trim()).map((task) => make("tr", {}, cell(task.facility, "code"),
      cell(kinds[task.start_code] || "conversation"), cell(task.transid, "code"), cell(task.task, "number"), cell(task.userid, "code"),
      cell(`${task.status.toLowerCase()} ${task.suspend_type} ${task.suspend_value}`.trim()),
      cell(task.suspend_type ? `${time(task.suspended_ms / 1000)} ago` : "now", "number"), cell(time(task.age_ms / 1000), "number"),
      cell(make("span", {}, ...[
        action("purge", `/tasks/${task.task}/purge`, `End the conversation of task ${task.task}`, true),
        action("force", `/tasks/${task.task}/forcepurge`, `End the conversation of task ${task.task} by force`, true),
      ].filter(Boolean)), "actions")));
    const gauges = before?.gauges || {};
    const parts = [make("p", { class: "empty" }, "Tasks with a facility, and partners. Idle 3270 terminals are not listed."),
      make("h2", {}, "Tasks and their facilities"),
      table(["facility", "kind", "transaction", ">task", "user", "status", ">last active", ">age", ""], rows, "No active conversations."),
      make("h2", {}, "Clients"), make("div", { class: "cards" },
        card("HTTP connections", number(gauges.tupelo_gateway_connections_open || 0), `${number(gauges.tupelo_gateway_connections_total || 0)} so far`))];
    if (partners) {
      const sessions = partners.sessions.map((s) => make("tr", {}, cell(s.partner, "code"), cell(s.mode, "code"), cell(s.winner ? "winner" : "loser"),
        cell(s.active ? "active" : "on its way", s.active ? "good" : "warn"), cell(s.busy ? "in use" : "free")));
      const links = partners.links.map((l) => make("tr", {}, cell(l.partner || l.peer, "code"), cell(l.kind), cell(l.peer, "code"), cell(l.role),
        cell(l.up ? "up" : "down", l.up ? "good" : "bad")));
      parts.push(make("h2", {}, `Sessions of ${partners.lu}`), table(["partner", "mode", "contention", "state", ""], sessions, "There is no session."),
        make("h2", {}, "Links"), table(["partner", "kind", "address", "role", ""], links, "There is no link."));
    }
    if (sockets) {
      const path = (verb, name) => action(verb, `/sockets/${verb}/${encodeURIComponent(name)}`, `${verb === "stop" ? "Stop" : "Start"} ${name}`, verb === "stop");
      const rows = [
        ...sockets.listeners.map((l) => make("tr", {}, cell(l.listener, "code"), cell("listener"), cell(l.address || "stopped", l.address ? "code" : "bad"),
          cell(number(l.waiting), "number"), cell(number(l.accepted), "number"), cell(number(l.refused), "number"), cell(path(l.address ? "stop" : "start", l.listener) || "", "actions"))),
        ...sockets.receivers.map((r) => make("tr", {}, cell(r.receiver, "code"), cell(`receiver, ${r.program}`), cell(r.started ? "started" : "stopped", r.started ? "good" : "bad"),
          cell(number(r.connections), "number"), cell(number(r.accepted), "number"), cell(number(r.refused), "number"), cell(path(r.started ? "stop" : "start", r.receiver) || "", "actions"))),
      ];
      parts.push(make("h2", {}, "Sockets"), table(["transaction", "kind", "address or state", ">connections", ">accepted", ">refused", ""], rows, "No listener and no receiver is defined."));
    }
    return parts;
  },

  async resources() {
    const top = await ask("/top");
    if (!top) return [elsewhere()];
    const { files, queues, classes } = top.resources;
    const yes = (value, words) => cell(value ? words[0] : words[1], value ? "good" : "warn");
    return [
      make("h2", {}, "Files"),
      table(["file", "", "", ">locked records"], files.map((f) => make("tr", {}, cell(f.file, "code"),
        yes(f.enabled, ["enabled", "disabled"]), yes(f.open, ["open", "closed"]), cell(number(f.locks), "number"))), "There are no files."),
      make("h2", {}, "Queues with items"),
      table(["queue", "kind", ">items", ""], queues.map((q) => make("tr", {}, cell(q.queue, "code"), cell(q.kind),
        cell(number(q.items), "number"), cell(q.recoverable ? "recoverable" : ""))), "No queue has items."),
      make("h2", {}, "Transaction classes"),
      table(["class", ">active", ">most", ">waiting"], classes.map((c) => make("tr", {}, cell(c.class, "code"), cell(c.active, "number"),
        cell(c.max_active, "number"), cell(c.queued, "number"))), "There are no classes."),
    ];
  },

  async regions() {
    const { connections, mainframe, partners } = await ask("/connections");
    const keys = (list) => [...new Set(list.flatMap((one) => Object.keys(one)))];
    const shown = (list, empty) => table(keys(list), list.map((one) => make("tr", {},
      ...keys(list).map((key) => cell(typeof one[key] === "object" ? JSON.stringify(one[key]) : one[key])))), empty);
    return [make("h2", {}, "Connections to other regions"), shown(connections, "This process calls no other region."),
      make("h2", {}, "Connections to mainframes"), shown(mainframe, "This process calls no mainframe."),
      make("h2", {}, "Partners that are connected"), shown(partners, "Nobody is connected to this region.")];
  },

  async log() {
    const { lines } = await ask("/logs?last=300");
    const box = make("div", { id: "lines" });
    const colour = { error: "bad", abend: "bad", warning: "warn" };
    for (const entry of lines.reverse()) {
      const at = new Date(entry.unix_ms).toLocaleTimeString("en-GB");
      box.append(make("div", colour[entry.kind] ? { class: colour[entry.kind] } : {}, `${at} ${entry.kind.padEnd(8)} ${entry.text}`));
    }
    if (!lines.length) box.append("Nothing was logged yet.");
    return [box];
  },
};

const elsewhere = () => make("p", { class: "empty" }, "This process runs no region: its programs run in regions elsewhere.");

function operations() {
  const rows = [...perOperation].sort((a, b) => b[1].rate - a[1].rate || (a[0] < b[0] ? -1 : 1)).map(([key, o]) => make("tr", {},
    cell(key, "code"), cell(number(o.rate, 1), "number"), cell(time(o.median), "number"), cell(time(o.high), "number"),
    cell(number(o.errors, 1), o.errors > 0 ? "number bad" : "number"), cell(time(o.cpu), "number"), cell(number(o.total), "number")));
  return table(["operation", ">a second", ">half within", ">99 % within", ">errors a second", ">CPU of program", ">requests so far"], rows, "No request yet.");
}

function starter() {
  const name = make("input", { name: "transaction", maxlength: 4, size: 6, required: "", "aria-label": "Transaction" });
  const start = (event) => {
    event.preventDefault();
    change(`/transactions/${encodeURIComponent(name.value)}/start`, `Start ${name.value}`);
  };
  return make("form", { onsubmit: start }, "Transaction", name, make("button", {}, "start"));
}

function reply(message) {
  const text = make("input", { maxlength: 500, size: 20, "aria-label": `Reply to message ${message}` });
  const send = (event) => {
    event.preventDefault();
    const encoded = [...new TextEncoder().encode(text.value)].map((byte) => "%" + byte.toString(16).padStart(2, "0")).join("");
    change(`/messages/${message}/reply?${encoded}`, `Reply to message ${message}`);
  };
  return make("form", { onsubmit: send }, text, make("button", {}, "reply"));
}

const chosen = () => (views[location.hash.slice(1)] ? location.hash.slice(1) : "overview");

// What somebody types is not taken away from them.
const typing = () => view.contains(document.activeElement) && document.activeElement.tagName === "INPUT" && document.activeElement.value;

let running = false;
async function refresh(anew) {
  if (running && !anew) return;
  running = true;
  const wanted = chosen();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.hash === `#${wanted}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const health = await ask("/health");
    const told = document.getElementById("health");
    told.textContent = health.status === "UP" ? "up" : `${health.status.toLowerCase()}: ${health.reason || "stopping"}`;
    told.className = health.status === "UP" ? "good" : "bad";
    const now = counters(await ask("/metrics"));
    if (before && now.at - before.at > 0.5) difference(now, before);
    if (!before || now.at - before.at > 0.5) before = now;
    const parts = await views[wanted]();
    if (wanted === chosen() && !typing()) view.replaceChildren(...parts);
    document.body.dataset.shown = wanted;
  } catch (error) {
    const told = document.getElementById("health");
    told.textContent = `no answer: ${error.message}`;
    told.className = "bad";
  }
  running = false;
}

async function begin() {
  await operator.ready;
  const who = await ask("/whoami").catch(() => null);
  mayChange = Boolean(who && who.mayChange);
  document.getElementById("who").textContent = who && who.user ? `${who.user}${mayChange ? "" : ", may look"}` : mayChange ? "" : "may look: `tupelo console` prints a link that may change";
  await refresh();
  setInterval(() => { if (!document.hidden) refresh(); }, PERIOD_MS);
}

window.addEventListener("hashchange", () => { say(""); refresh(true); });
begin();
