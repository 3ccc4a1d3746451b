// What scripts see of CICS: errors, LINK, units of work, files, queues.
// Evaluated once for each engine, before the snapshot; `N` are the natives.
(N) => {
  const { defineProperty, freeze, hasOwn, keys } = Object;
  const show = (object, name, value) =>
    defineProperty(object, name, { value, writable: true, configurable: true });

  /** Takes the engine's own part out of an error's stack. */
  const own = (frame) => !frame.includes("(<tupelo:");
  const clean = N.clean = (error) => {
    const { stack } = error;
    if (typeof stack === "string") error.stack = stack.split("\n").filter(own).join("\n");
    return error;
  };

  class CicsError extends Error {
    get name() { return this.constructor.name; }
  }
  /** A program, or the region, ended a command with an abend. */
  class CicsAbend extends CicsError {
    constructor({ code, program, line, message }) {
      super(message ? `abend ${code}: ${message}` : `abend ${code}`);
      this.code = code;
      this.program = program || undefined;
      this.line = line || undefined;
    }
  }
  /** A command returned a condition. */
  class CicsCondition extends CicsError {
    constructor({ condition, resp, resp2 }, command) {
      super(`${command} returned ${condition}` + (resp2 ? `, RESP2 ${resp2}` : ""));
      this.condition = condition;
      this.resp = resp;
      this.resp2 = resp2;
      this.command = command;
    }
  }

  /** Gives what a native gave, or throws why not. */
  const done = (result, verb, of) => {
    // A script may have given every object this property.
    if (result === undefined || result === null || !hasOwn(result, "refused")) return result;
    const command = of === undefined ? verb : `${verb} ${of}`;
    switch (result.refused) {
      case "abend": throw clean(new CicsAbend(result));
      case "condition": throw N.clean(new CicsCondition(result, command));
      case "usage": throw N.clean(new TypeError(result.message));
      default: throw N.clean(new Error(`${command}: a script can give commands only while it serves a request`));
    }
  };

  const text = (value, what, most) => {
    const given = String(value).trim().toUpperCase();
    if (given.length === 0 || given.length > most) {
      throw N.clean(new RangeError(`${what} has 1 to ${most} characters, and ${JSON.stringify(String(value))} has ${given.length}`));
    }
    return given;
  };

  // Names that have a case: channels, containers, transactions, queues, requests.
  const exactly = (value, what, most) => {
    const given = String(value).trim();
    if (given.length === 0 || given.length > most || /[^!-~]/.test(given)) {
      throw N.clean(new RangeError(`${what} has 1 to ${most} characters of ASCII, and this is ${JSON.stringify(String(value))}`));
    }
    return given;
  };

  /** The bytes of whatever holds some; text is in the region's code page. */
  const bytes = (value, what = "data", of = "") => {
    // Only records have the symbol.
    if (value?.[N.BYTES] !== undefined) return value[N.BYTES]();
    if (value instanceof Uint8Array) return value;
    if (value instanceof ArrayBuffer) return new Uint8Array(value);
    if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    if (typeof value === "string") {
      const made = N.bytes(value);
      if (made === undefined || made === null) throw N.clean(new RangeError(`${what}${of}: the region's code page does not have all characters of the text`));
      return made;
    }
    throw N.clean(new TypeError(`${what}${of}: bytes, text or a record of a copybook are wanted, not ${value === null ? "null" : typeof value}`));
  };
  N.BYTES = Symbol("bytes");
  N.TAKE = Symbol("take");
  N.ANSWER = Symbol("answer");
  N.BACK = Symbol("back");
  N.done = done;
  N.asBytes = bytes;

  const RECEIVED = Symbol("received"), SENT = Symbol("sent"), NONE = new Uint8Array(0);
  /** A channel: containers by name. */
  class Channel {
    // The channel's name and those of its containers; and the bytes of these.
    #names; #parts;
    constructor(name = "TUPELO", containers = undefined) {
      if (name === RECEIVED) {
        this.#names = containers[0];
        this.#parts = containers[1];
        this.#names[0] ||= "TUPELO";
        return;
      }
      this.#names = [exactly(name, "the name of a channel", 16)];
      this.#parts = [];
      if (containers !== undefined) for (const key of keys(containers)) this.put(key, containers[key]);
    }
    get name() { return this.#names[0]; }
    set name(name) { this.#names[0] = exactly(name, "the name of a channel", 16); }
    /** Where a container is; -1 for nowhere. */
    #at(name) {
      const names = this.#names;
      for (let i = 1; i < names.length; i++) if (names[i] === name) return i - 1;
      return -1;
    }
    put(name, value) {
      const key = exactly(name, "the name of a container", 16), part = bytes(value, "container ", name), at = this.#at(key);
      if (at >= 0) { this.#parts[at] = part; return this; }
      this.#names.push(key);
      this.#parts.push(part);
      return this;
    }
    get(name) { return this.#parts[this.#at(exactly(name, "the name of a container", 16))]; }
    has(name) { return this.#at(exactly(name, "the name of a container", 16)) >= 0; }
    delete(name) {
      const at = this.#at(exactly(name, "the name of a container", 16));
      if (at < 0) return false;
      this.#names.splice(at + 1, 1);
      this.#parts.splice(at, 1);
      return true;
    }
    text(name) {
      const found = this.get(name);
      return found === undefined ? undefined : N.text(found) ?? undefined;
    }
    get names() { return this.#names.slice(1); }
    *[Symbol.iterator]() {
      for (let i = 1; i < this.#names.length; i++) yield [this.#names[i], this.#parts[i - 1]];
    }
    /** For a native, which reads them at once. */
    [SENT]() { return [this.#names, this.#parts]; }
  }

  const asChannel = (given) => {
    if (given instanceof Channel) return given;
    if (given !== null && typeof given === "object") return new Channel("TUPELO", given);
    throw N.clean(new TypeError("channel: a Channel, or an object of containers by name, is wanted"));
  };

  /** What a program is given, for the natives, and what its results become. */
  const input = (program, options, verb = "LINK") => {
    const { commarea, channel } = options;
    if (commarea !== undefined && channel !== undefined) {
      throw N.clean(new TypeError(`${verb} ${program}: a commarea or a channel, not both`));
    }
    if (commarea !== undefined) {
      const area = bytes(commarea, "commarea");
      return {
        given: area, names: undefined,
        take: (result, own) => {
          // A LINK has written to the area itself.
          const back = own ? result[0] ?? NONE : area;
          if (own && area.length === back.length) area.set(back);
          if (typeof commarea === "object" && commarea !== null && commarea[N.TAKE]) commarea[N.TAKE](back);
          else if (typeof commarea === "string") return { commarea: back };
          return { commarea };
        },
      };
    }
    if (channel !== undefined) {
      const [names, parts] = asChannel(channel)[SENT]();
      return { given: parts, names, take: (result) => ({ channel: received(result) }) };
    }
    return { given: undefined, names: undefined, take: (result) => (result.length > 1 ? { channel: received(result) } : {}) };
  };
  const received = N.received = (result) => new Channel(RECEIVED, result);
  N.sent = (channel) => channel[SENT]();

  // Child tasks and timers: the promises that wait for them, by number.
  const waiting = new Map();
  let number = 0;
  N.expect = (waiter) => { waiting.set(++number, waiter); return number; };
  N.forget = (id) => waiting.delete(id);
  N.deliver = (id, result) => {
    const waiter = waiting.get(id);
    if (waiter !== undefined) { waiting.delete(id); waiter(result); }
  };

  const exec = (command, options = {}) => {
    const given = {};
    let names, parts;
    for (const key of keys(options)) {
      const value = options[key];
      if (typeof value !== "object" || value === null) given[key] = value;
      else if (key.toUpperCase() !== "CHANNEL") given[key] = bytes(value, key);
      else {
        // It goes along with the command.
        [names, parts] = asChannel(value)[SENT]();
        given[key] = names[0];
      }
    }
    return done(N.command(String(command), given, parts, names), String(command).toUpperCase());
  };

  class File {
    #number; #name;
    constructor(name) {
      this.#name = text(name, "the name of a file", 8);
      this.#number = N.file(this.#name);
      if (this.#number === undefined || this.#number === null) {
        throw N.clean(new CicsCondition({ condition: "FILENOTFOUND", resp: 12, resp2: 1 }, `FILE(${this.#name})`));
      }
    }
    get name() { return this.#name; }
    #done(command, result) { return done(result, `${command} FILE(${this.#name})`); }
    /** The record of a key, undefined when there is none. */
    read(key, { update = false, generic = false, gteq = false, nosuspend = false, into } = {}) {
      const options = (generic ? 1 : 0) | (gteq ? 2 : 0) | (update ? 4 : 0) | (nosuspend ? 8 : 0);
      let record;
      try {
        record = this.#done("READ", N.readRecord(this.#number, options, bytes(key, "key")))[1];
      } catch (e) {
        if (e instanceof CicsCondition && e.condition === "NOTFND") return undefined;
        throw e;
      }
      return into === undefined ? record : (into[N.TAKE](record), into);
    }
    /** Writes a new record. `key` is for files whose records do not hold it. */
    write(record, key) {
      const body = bytes(record, "record"), head = key === undefined ? NONE : bytes(key, "key");
      this.#done("WRITE", N.writeRecord(this.#number, head, body));
    }
    /** Replaces the record that was read for update. */
    rewrite(record) { this.#done("REWRITE", N.rewriteRecord(this.#number, bytes(record, "record"))); }
    /** Deletes the record of a key, or the one that was read for update. */
    delete(key, { generic = false } = {}) {
      const named = key === undefined ? undefined : bytes(key, "key");
      return this.#done("DELETE", N.deleteRecord(this.#number, named, Boolean(generic)));
    }
    /** Gives the record that was read for update free. */
    unlock() { this.#done("UNLOCK", N.unlockRecords(this.#number)); }
    /** Records from a key on, forwards or backwards. */
    *browse(from, { backwards = false } = {}) {
      const command = backwards ? "READPREV" : "READNEXT";
      let step = backwards ? (from === undefined ? "last" : "back from") : (from === undefined ? "first" : "from");
      let key = from === undefined ? NONE : bytes(from, "key");
      for (;;) {
        let found;
        try {
          found = this.#done(command, N.browseRecord(this.#number, step, key));
        } catch (e) {
          if (e instanceof CicsCondition && (e.condition === "NOTFND" || e.condition === "ENDFILE")) return;
          throw e;
        }
        yield { key: found[0], record: found[1], token: found[2] };
        key = found[0];
        step = backwards ? "previous" : "next";
      }
    }
  }

  const queue = (verb, name, most, kind) => {
    const key = { [most > 8 ? "QNAME" : "QUEUE"]: exactly(name, "the name of a queue", most) };
    return {
      // A TS queue returns the item's number if ITEM is named.
      write: (item) => exec(`WRITEQ ${kind}`, { ...key, FROM: bytes(item, "item"), ITEM: kind === "TS" ? 0 : undefined }),
      delete: () => { exec(`DELETEQ ${kind}`, key); },
      key,
    };
  };
  const quietly = (conditions, run) => {
    try { return run(); } catch (e) {
      if (e instanceof CicsCondition && conditions.includes(e.condition)) return undefined;
      throw e;
    }
  };

  let task;
  const cics = {
    /** The task: number, transid, userid, applid, sysid. */
    get task() { return (task ??= freeze(N.facts())); },
    /** Runs a program in this task's unit of work. */
    link(program, options = {}) {
      const name = text(program, "the name of a program", 8), { commarea, channel } = options;
      if (commarea === undefined && channel !== undefined) {
        const sent = asChannel(channel)[SENT]();
        return { channel: received(done(N.link(name, sent[1], sent[0]), "LINK", name)) };
      }
      const { given, names, take } = input(name, options);
      return take(done(N.link(name, given, names), "LINK", name), false);
    },
    /** Ends the script: a program takes its place, within the same unit of work. */
    xctl(program, options = {}) {
      const name = text(program, "the name of a program", 8);
      const { given, names } = input(name, options, "XCTL");
      // What the caller of the script passed is the caller's again afterwards.
      const back = N.caller === undefined ? -1 : N.caller[N.BACK](given, options.channel);
      done(N.xctl(name, given, names, back), "XCTL", name);
    },
    /** Runs a program, or a transaction, as a child task. */
    run(what, options = {}) {
      const { transid } = options;
      const name = what === undefined || what === null ? "" : text(what, "the name of a program", 8);
      const { given, names, take } = input(name, options);
      const id = ++number;
      done(N.spawn(id, transid === undefined ? "" : exactly(transid, "a transaction", 4), name, given, names), "RUN", name);
      return new Promise((resolve, reject) => {
        waiting.set(id, (result) => {
          try { resolve(take(done(result, "RUN", name), true)); } catch (e) { reject(e); }
        });
      });
    },
    /** Ends the task with an abend code; its unit of work is backed out. */
    abend(code, message = "") {
      const error = new CicsAbend({ code: text(code, "an abend code", 4), message: String(message) });
      error.final = true;
      throw clean(error);
    },
    /** Commits what the task has changed so far. */
    syncpoint() { done(N.syncpoint(false), "SYNCPOINT"); },
    /** Backs out what the task has changed since its last syncpoint. */
    rollback() { done(N.syncpoint(true), "SYNCPOINT ROLLBACK"); },
    /** Any command that the region serves, with its options as in EXEC CICS. */
    exec,
    file: (name) => new File(name),
    /** A temporary storage queue. */
    ts(name) {
      const { write, delete: remove, key } = queue("TS", name, String(name).length > 8 ? 16 : 8, "TS");
      return {
        write: (item) => write(item).ITEM,
        rewrite: (item, data) => { exec("WRITEQ TS", { ...key, FROM: bytes(data, "item"), ITEM: item, REWRITE: true }); },
        read: (item) => quietly(["ITEMERR", "QIDERR"], () => exec("READQ TS", item === undefined ? { ...key, NEXT: true } : { ...key, ITEM: item }).INTO),
        delete: remove,
        *[Symbol.iterator]() {
          for (let item = 1; ; item++) {
            const found = this.read(item);
            if (found === undefined) return;
            yield found;
          }
        },
      };
    },
    /** A transient data queue. */
    td(name) {
      const { write, delete: remove, key } = queue("TD", name, 4, "TD");
      return {
        write: (record) => { write(record); },
        read: () => quietly(["QZERO"], () => exec("READQ TD", key).INTO),
        delete: remove,
      };
    },
    /** Starts a transaction; data reach it by RETRIEVE, a channel as its own. */
    start(transid, { data, channel, seconds, reqid } = {}) {
      const options = { TRANSID: exactly(transid, "a transaction", 4), REQID: reqid };
      if (data !== undefined) options.FROM = bytes(data, "data");
      if (channel !== undefined) options.CHANNEL = asChannel(channel);
      if (seconds !== undefined) { options.AFTER = true; options.SECONDS = seconds; }
      exec("START", options);
    },
    /** The data that the task was started with, once; a START with a channel has none, which is INVREQ. */
    retrieve() { return quietly(["ENDDATA", "ENVDEFERR", "INVREQ"], () => exec("RETRIEVE", { INTO: true }).INTO); },
    /** Holds a name that one task at a time can hold. */
    enq(resource, { nosuspend = false } = {}) {
      const given = bytes(resource, "resource");
      return quietly(nosuspend ? ["ENQBUSY"] : [], () => (exec("ENQ", { RESOURCE: given, LENGTH: given.length, NOSUSPEND: nosuspend }), true)) ?? false;
    },
    deq(resource) {
      const given = bytes(resource, "resource");
      exec("DEQ", { RESOURCE: given, LENGTH: given.length });
    },
    /** The next value of a named counter, which is made, from 0 on, with its first use. */
    counter(name, { pool } = {}) {
      const key = pool === undefined ? { COUNTER: name } : { COUNTER: name, POOL: pool };
      const unless = (resp2, run) => {
        try { return run(); } catch (e) {
          if (!(e instanceof CicsCondition && e.condition === "INVREQ" && e.resp2 === resp2)) throw e;
        }
      };
      const next = () => exec("GET COUNTER", key).VALUE;
      const found = unless(201, next);
      if (found !== undefined) return found;
      // Another task may be first.
      unless(202, () => exec("DEFINE COUNTER", key));
      return next();
    },
    /** The text of bytes in the region's code page, as programs and files have it. */
    text(data) {
      const found = typeof data === "string" ? data : N.text(bytes(data));
      if (found === undefined || found === null) throw N.clean(new RangeError("the bytes are not text in the region's code page"));
      return found;
    },
    /** The bytes of text in the region's code page. */
    bytes: (text) => bytes(typeof text === "string" ? text : String(text), "text"),
    /** Waits; the task holds what it holds. */
    delay(milliseconds) { exec("DELAY", { FOR: true, MILLISECS: Math.round(milliseconds) }); },
    /** Writes a line with data to the log. */
    log(message, data) {
      const text = String(message).toWellFormed();
      if (data === undefined) N.log(1, text);
      else N.log(1, text, json(data).toWellFormed());
    },
  };

  /** JSON in which BigInts are what `digits` makes of them. */
  const stringify = N.stringify = (value, digits) => {
    const plain = N.plainJson(value);
    if (plain !== undefined && plain !== null) return plain;
    // A function for each value is called only where there are any.
    try { return JSON.stringify(value); } catch (e) {
      if (!(e instanceof TypeError) || !/bigint/i.test(e.message)) throw e;
    }
    return JSON.stringify(value, (_, v) => (typeof v === "bigint" ? digits(v) : v));
  };
  const json = (value) => {
    try { return stringify(value, String) ?? String(value); } catch { return String(value); }
  };
  const line = (parts) => parts.map((p) => (typeof p === "string" ? p : p instanceof Error ? `${clean(p).stack ? `${p}\n${p.stack}` : p}` : json(p))).join(" ").toWellFormed();
  const console = {
    debug: (...p) => N.log(0, line(p)),
    log: (...p) => N.log(1, line(p)),
    info: (...p) => N.log(1, line(p)),
    warn: (...p) => N.log(2, line(p)),
    error: (...p) => N.log(3, line(p)),
  };

  const timer = (ms, run) => {
    const id = ++number;
    waiting.set(id, run);
    N.timer(id, Number(ms) || 0);
    return id;
  };
  show(globalThis, "setTimeout", (run, ms, ...rest) => {
    if (typeof run !== "function") throw N.clean(new TypeError("setTimeout wants a function"));
    return timer(ms, () => run(...rest));
  });
  const clear = (id) => { if (waiting.delete(id)) N.untimer(id); };
  show(globalThis, "clearTimeout", clear);
  show(globalThis, "setInterval", (run, ms, ...rest) => {
    if (typeof run !== "function") throw N.clean(new TypeError("setInterval wants a function"));
    const each = Math.max(1, Number(ms) || 0);
    const id = timer(each, function again() {
      waiting.set(id, again);
      N.timer(id, each);
      run(...rest);
    });
    return id;
  });
  show(globalThis, "clearInterval", clear);

  // Text in UTF-8, as it travels.
  show(globalThis, "TextEncoder", class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") { return N.toUtf8(String(text).toWellFormed()); }
  });
  show(globalThis, "TextDecoder", class TextDecoder {
    #fatal; #keepsMark;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label)) {
        throw N.clean(new RangeError(`a TextDecoder is for UTF-8 alone, not ${String(label)}; cics.text reads the region's code page`));
      }
      this.#fatal = Boolean(fatal);
      this.#keepsMark = Boolean(ignoreBOM);
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepsMark; }
    decode(data = NONE) {
      if (typeof data === "string") throw N.clean(new TypeError("decode wants bytes, not text"));
      const given = bytes(data), text = N.utf8(given) ?? (this.#fatal ? undefined : N.utf8Lossy(given));
      if (text === undefined) throw N.clean(new TypeError("the bytes are not text in UTF-8"));
      return !this.#keepsMark && text.startsWith("\ufeff") ? text.slice(1) : text;
    }
  });
  show(globalThis, "console", console);
  show(globalThis, "cics", cics);
  show(globalThis, "Channel", Channel);
  show(globalThis, "CicsError", CicsError);
  show(globalThis, "CicsAbend", CicsAbend);
  show(globalThis, "CicsCondition", CicsCondition);
  show(Math, "random", defineProperty(N.random, "name", { value: "random", configurable: true }));
  // Memory that several threads share has no place here.
  delete globalThis.SharedArrayBuffer;
  delete globalThis.Atomics;
  N.CicsAbend = CicsAbend;
  N.json = json;
}
