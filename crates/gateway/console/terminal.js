// The terminal's page: shows the picture that the server has of each session
// and sends what is typed. It knows nothing of the 3270 data stream.
"use strict";

const part = (id) => document.getElementById(id);
const screen = part("screen");
const sessions = [];
let shown = null;

const stored = (key, usual) => { try { return JSON.parse(localStorage.getItem(key)) ?? usual; } catch { return usual; } };
const store = (storage, key, value) => { try { storage.setItem(key, JSON.stringify(value)); } catch { /* private windows */ } };
const settings = stored("terminal-keys", { page: "pf", control: "split", backspace: "backspace" });

const problem = (text) => { part("problem").textContent = text; part("problem").hidden = !text; };

async function ask(path, change) {
  await operator.ready;
  const options = change ? { method: "POST", headers: operator.headers() } : {};
  const answer = await fetch(`/terminals/${path}`, options);
  const json = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const failed = new Error(json.error ?? json.detail ?? answer.statusText);
    failed.status = answer.status;
    throw failed;
  }
  return json;
}

// Sessions.

async function open(model) {
  const { session } = await ask(`open?model=${model}`, true);
  follow(session);
}

function follow(name) {
  const session = { name, picture: null, sending: Promise.resolve(), over: false };
  sessions.push(session);
  remember();
  select(session);
  watch(session);
}

const remember = () => store(sessionStorage, "terminal-sessions", sessions.map((s) => s.name));

async function watch(session) {
  let after = "", pause = 250;
  while (!session.over) {
    try {
      const picture = await ask(`${session.name}/screen${after}`);
      after = `?after=${picture.version}`;
      pause = 250;
      session.picture = picture;
      if (session === shown) paint();
      tabs();
      if (picture.ended) break;
    } catch (failed) {
      if (failed.status === 404) break;
      if (session === shown) problem(`The server does not answer: ${failed.message}`);
      await new Promise((again) => setTimeout(again, pause));
      pause = Math.min(pause * 2, 5000);
    }
  }
  end(session);
}

function end(session) {
  session.over = true;
  const at = sessions.indexOf(session);
  if (at < 0) return;
  sessions.splice(at, 1);
  remember();
  if (session === shown) {
    select(sessions[Math.min(at, sessions.length - 1)] ?? null);
    problem("The session has ended.");
  }
  tabs();
}

function close(session) {
  session.over = true;
  ask(`${session.name}/close`, true).catch(() => {});
  end(session);
}

function select(session) {
  shown = session;
  problem("");
  tabs();
  paint();
  screen.focus();
}

function tabs() {
  const names = sessions.map((s) => s.picture?.unit ?? "connecting");
  const now = JSON.stringify([names, sessions.indexOf(shown)]);
  if (part("sessions").dataset.now === now) return;
  part("sessions").dataset.now = now;
  part("sessions").replaceChildren(...sessions.flatMap((session, at) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.role = "tab";
    tab.textContent = names[at];
    tab.ariaSelected = String(session === shown);
    tab.onclick = () => select(session);
    const gone = document.createElement("button");
    gone.type = "button";
    gone.textContent = "×";
    gone.ariaLabel = `Close ${names[at]}`;
    gone.onclick = () => close(session);
    return [tab, gone];
  }));
}

// The picture.

const KEYBOARD = {
  unlocked: "", system: "X SYSTEM", protected: "X ←o→ protected", numeric: "X numeric only",
  overflow: "X no room", inhibited: "X not possible",
};

function paint() {
  const picture = shown?.picture;
  if (!picture) { screen.replaceChildren(); part("keyboard").textContent = shown ? "Connecting" : ""; return; }
  screen.classList.toggle("wide", picture.columns > 80);
  // A selection stays while its row does not change.
  while (screen.children.length > picture.rows) screen.lastChild.remove();
  picture.lines.forEach((runs, row) => {
    const cursor = row === picture.cursor[0] ? picture.cursor[1] : -1;
    const now = JSON.stringify([runs, cursor]);
    let line = screen.children[row];
    if (!line) { line = document.createElement("div"); line.className = "row"; screen.append(line); }
    if (line.dataset.now === now) return;
    line.dataset.now = now;
    line.replaceChildren(...spans(runs, cursor));
  });
  const [row, column] = picture.cursor;
  part("keyboard").textContent = picture.ended ? "Session ended" : KEYBOARD[picture.keyboard] ?? picture.keyboard;
  part("insert").textContent = picture.insert ? "Insert ^" : "";
  part("waiting").textContent = picture.waiting ? `${picture.waiting} typed ahead` : "";
  part("place").textContent = `${String(row + 1).padStart(3, "0")}/${String(column + 1).padStart(3, "0")}`;
  part("unit").textContent = picture.unit ?? "";
  part("lock").textContent = location.protocol === "https:" ? "TLS" : "not encrypted";
  screen.ariaLabel = `3270 screen ${picture.unit ?? ""}, ${label(picture)}`;
  if (picture.alarms > (shown.alarms ?? 0)) screen.animate([{ opacity: .4 }, { opacity: 1 }], 250);
  shown.alarms = picture.alarms;
}

// The text to the left of the cursor's field names it for screen readers.
function label(picture) {
  const text = picture.lines[picture.cursor[0]].map((run) => run.text).join("");
  const words = text.slice(0, picture.cursor[1]).trim();
  return words ? `cursor after ${words}` : `cursor in row ${picture.cursor[0] + 1}`;
}

function spans(runs, cursor) {
  const made = [];
  let column = 0;
  for (const run of runs) {
    const length = [...run.text].length;
    const at = cursor - column;
    const parts = at >= 0 && at < length
      ? [[run.text.slice(0, at)], [run.text.slice(at, at + 1), true], [run.text.slice(at + 1)]]
      : [[run.text]];
    for (const [text, isCursor] of parts) {
      if (!text) continue;
      const span = document.createElement("span");
      span.textContent = text;
      span.className = [
        run.color.replace(" ", "-"), run.highlight ?? "", run.bright ? "bright" : "",
        run.input === undefined ? "" : "input", isCursor ? "cursor" : "",
      ].filter(Boolean).join(" ");
      made.push(span);
    }
    column += length;
  }
  return made;
}

// Keys.

// Requests of one session go one after another, so that keys keep their order.
function send(...keys) {
  const session = shown;
  if (!session) return;
  const query = encodeURIComponent(JSON.stringify(keys));
  session.sending = session.sending
    .then(() => ask(`${session.name}/keys?${query}`, true))
    .then(() => problem(""))
    .catch((failed) => problem(failed.message));
}

const key = (name, number) => send(number ? { key: name, number } : { key: name });

const NAMED = {
  Tab: "tab", Home: "home", End: "field-end", ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up",
  ArrowDown: "down", Delete: "delete", Insert: "insert", Escape: "clear", Pause: "clear",
};
const ALT = { e: "erase-eof", c: "clear", a: "attention", r: "reset", d: "dup", f: "field-mark" };

function pressed(event) {
  const pf = /^F(\d+)$/.exec(event.key);
  if (event.altKey && /^Digit[123]$/.test(event.code)) return ["pa", Number(event.code.slice(5))];
  if (event.altKey && ALT[event.key.toLowerCase()]) return [ALT[event.key.toLowerCase()]];
  if (event.ctrlKey && event.key.toLowerCase() === "r") return ["reset"];
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (pf) return ["pf", Number(pf[1]) + (event.shiftKey ? 12 : 0)];
  if (event.key === "Enter") return [event.shiftKey ? "new-line" : "enter"];
  if (event.key === "Tab") return [event.shiftKey ? "back-tab" : "tab"];
  if (event.key === "End" && event.shiftKey) return ["erase-eof"];
  if (event.key === "Backspace") return [settings.backspace];
  if (event.key === "PageUp") return settings.page === "pf" ? ["pf", 7] : ["pa", 1];
  if (event.key === "PageDown") return settings.page === "pf" ? ["pf", 8] : ["pa", 2];
  return NAMED[event.key] ? [NAMED[event.key]] : null;
}

let alone = null;
screen.addEventListener("keydown", (event) => {
  alone = event.key === "Control" ? event.code : null;
  const found = pressed(event);
  if (found) {
    event.preventDefault();
    key(...found);
  } else if ([...event.key].length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    send({ text: event.key });
  }
});
screen.addEventListener("keyup", (event) => {
  if (event.key !== "Control" || alone !== event.code || settings.control !== "split") return;
  key(event.code === "ControlRight" ? "enter" : "reset");
});
screen.addEventListener("focus", () => screen.classList.remove("blurred"));
screen.addEventListener("blur", () => screen.classList.add("blurred"));

// What an on-screen keyboard types.
part("typed").addEventListener("input", (event) => {
  const text = event.target.value;
  event.target.value = "";
  if (text) send({ text });
});
part("typed").addEventListener("keydown", (event) => {
  const found = event.key.length === 1 ? null : pressed(event);
  if (found) { event.preventDefault(); key(...found); }
});

// The pointer.

function positionOf(node, offset) {
  const row = (node.nodeType === 1 ? node : node.parentElement)?.closest(".row");
  if (!row || row.parentElement !== screen) return null;
  const range = document.createRange();
  range.setStart(row, 0);
  range.setEnd(node, offset);
  return [[...screen.children].indexOf(row), range.toString().length];
}

function pointed(event) {
  const caret = document.caretPositionFromPoint?.(event.clientX, event.clientY);
  const range = caret ? null : document.caretRangeFromPoint?.(event.clientX, event.clientY);
  if (caret) return positionOf(caret.offsetNode, caret.offset);
  return range ? positionOf(range.startContainer, range.startOffset) : null;
}

screen.addEventListener("click", (event) => {
  if (!getSelection().isCollapsed || !shown?.picture) return;
  const row = event.target.closest(".row");
  if (!row) return;
  const at = pointed(event);
  if (!at) return;
  const [line, column] = at;
  send({ cursor: line * shown.picture.columns + Math.min(column, shown.picture.columns - 1) });
});
screen.addEventListener("dblclick", () => key("cursor-select"));

// Copy takes the rectangle between the ends of the selection.
screen.addEventListener("copy", (event) => {
  const selection = getSelection();
  if (selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const from = positionOf(range.startContainer, range.startOffset);
  const to = positionOf(range.endContainer, range.endOffset);
  if (!from || !to) return;
  const [left, right] = [from[1], to[1]].sort((a, b) => a - b);
  const rows = [...screen.children].slice(from[0], to[0] + 1);
  const cut = (text) => (from[0] === to[0] || right > left ? text.slice(left, right) : text);
  event.clipboardData.setData("text/plain", rows.map((row) => cut(row.textContent).trimEnd()).join("\n"));
  event.preventDefault();
});

screen.addEventListener("paste", (event) => {
  event.preventDefault();
  const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n").slice(0, 2000);
  if (text) send({ paste: text });
});

// Keypad, settings, start.

function button(text, act, title) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  if (title) made.title = title;
  // The screen keeps the focus, so that typing goes on.
  made.onmousedown = (event) => event.preventDefault();
  made.onclick = act;
  return made;
}

part("keypad").append(
  button("ENTER", () => key("enter")), button("CLEAR", () => key("clear")), button("RESET", () => key("reset")),
  ...[1, 2, 3].map((n) => button(`PA${n}`, () => key("pa", n))),
  ...Array.from({ length: 24 }, (_, n) => button(`PF${n + 1}`, () => key("pf", n + 1))),
  button("Tab", () => key("tab"), "Next input field"), button("Erase", () => key("erase-eof"), "Erase to the end of the field"),
  button("ATTN", () => key("attention")), button("SYSREQ", () => key("system-request")),
);

for (const [name, value] of Object.entries(settings)) {
  const chosen = part("settings").elements[name];
  if (chosen) chosen.value = value;
}
part("settings").onchange = (event) => {
  settings[event.target.name] = event.target.value;
  store(localStorage, "terminal-keys", settings);
};
part("open").onclick = () => open(part("model").value).catch((failed) => problem(failed.message));

(async () => {
  let known = [];
  try { known = JSON.parse(sessionStorage.getItem("terminal-sessions")) ?? []; } catch { /* none */ }
  if (known.length) known.forEach(follow);
  else await open(2).catch((failed) => problem(failed.message));
})();
