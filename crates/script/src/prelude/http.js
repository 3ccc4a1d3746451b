// The request and the response.
(N) => {
  const FLAT = Symbol("flat"), SENT = Symbol("sent"), DEFAULT = Symbol("default");
  // What stands between the values of a name that comes more than once. Set-Cookie has a line for
  // each, since its values have commas.
  const between = (key) => (key === "set-cookie" ? "\n" : key === "cookie" ? "; " : ", ");
  class Headers {
    #map = new Map(); #sent = false;
    constructor(flat = []) {
      for (let i = 0; i + 1 < flat.length; i += 2) this.#add(flat[i], flat[i + 1]);
    }
    #key(name) { return String(name).toLowerCase(); }
    #add(name, text) {
      const key = this.#key(name), before = this.#map.get(key);
      this.#map.set(key, before === undefined ? text : before + between(key) + text);
    }
    #good(name, value) {
      if (this.#sent) throw N.clean(new Error("the answer has begun: its headers were sent"));
      const text = String(value);
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || /[\x00-\x08\x0a-\x1f\x7f]/.test(text)) {
        throw N.clean(new TypeError(`${String(name)} is not a valid header with this value`));
      }
      return text;
    }
    get(name) {
      const found = this.#map.get(this.#key(name));
      return found === undefined ? undefined : found.replaceAll("\n", ", ");
    }
    /** Every Set-Cookie. */
    getSetCookie() { return this.#map.get("set-cookie")?.split("\n") ?? []; }
    has(name) { return this.#map.has(this.#key(name)); }
    set(name, value) {
      this.#map.set(this.#key(name), this.#good(name, value));
      return this;
    }
    append(name, value) {
      this.#add(name, this.#good(name, value));
      return this;
    }
    delete(name) { return this.#map.delete(this.#key(name)); }
    *[Symbol.iterator]() {
      for (const [name, text] of this.#map) for (const value of text.split("\n")) yield [name, value];
    }
    toJSON() { return Object.fromEntries([...this.#map.keys()].map((name) => [name, this.get(name)])); }
    /** Nothing more can be set. */
    [SENT]() { this.#sent = true; }
    /** Names and values, one after the other. */
    [FLAT]() {
      const flat = [];
      this.#map.forEach((text, name) => {
        if (name !== "set-cookie") { flat.push(name, text); return; }
        for (const value of text.split("\n")) flat.push(name, value);
      });
      return flat;
    }
    /** Our own, in lower case and without anything to look for; not over another. */
    [DEFAULT](name, value) { if (!this.#map.has(name)) this.#map.set(name, value); }
  }
  N.FLAT = FLAT;

  // Half of a surrogate pair cannot be encoded.
  const well = (text) => (text.isWellFormed() ? text : text.toWellFormed());
  const toUtf8 = (text) => N.toUtf8(well(text));

  const decode = (text) => {
    try { return decodeURIComponent(text.replace(/\+/g, " ")); } catch { return text; }
  };
  class Query {
    #pairs = [];
    constructor(text) {
      for (const part of text.split("&")) {
        if (part === "") continue;
        const at = part.indexOf("=");
        this.#pairs.push(at < 0 ? [decode(part), ""] : [decode(part.slice(0, at)), decode(part.slice(at + 1))]);
      }
    }
    get(name) { return this.#pairs.find(([n]) => n === name)?.[1]; }
    all(name) { return this.#pairs.filter(([n]) => n === name).map(([, v]) => v); }
    has(name) { return this.#pairs.some(([n]) => n === name); }
    *[Symbol.iterator]() { yield* this.#pairs; }
    toJSON() { return Object.fromEntries(this.#pairs); }
  }

  /** A file that came in a form. */
  class FormFile {
    #bytes;
    constructor(name, type, bytes) {
      this.name = name;
      this.type = type;
      this.#bytes = bytes;
    }
    get size() { return this.#bytes.length; }
    bytes() { return this.#bytes; }
    text() {
      const text = N.utf8(this.#bytes);
      if (text === undefined || text === null) throw N.clean(new BadRequest(`the file ${JSON.stringify(this.name)} is not text in UTF-8`));
      return text;
    }
  }
  /** A form: texts and files by name. */
  class Form {
    #pairs;
    constructor(pairs) { this.#pairs = [...pairs]; }
    get(name) { return this.#pairs.find(([n]) => n === name)?.[1]; }
    all(name) { return this.#pairs.filter(([n]) => n === name).map(([, v]) => v); }
    has(name) { return this.#pairs.some(([n]) => n === name); }
    *[Symbol.iterator]() { yield* this.#pairs; }
  }

  class BadRequest extends Error {
    get name() { return "BadRequest"; }
  }

  // What the natives return of the request, by number.
  const [PATH, QUERY, VARIABLES, HEADERS, BODY] = [1, 2, 3, 4, 5];
  class Request {
    #method; #query; #headers; #params; #body;
    constructor(method) { this.#method = method; }
    get method() { return this.#method; }
    get path() { return N.asked(PATH); }
    get query() { return (this.#query ??= new Query(N.asked(QUERY))); }
    get headers() { return (this.#headers ??= new Headers(N.asked(HEADERS))); }
    /** The variables of the path. */
    get params() {
      if (this.#params === undefined) {
        this.#params = Object.create(null);
        const variables = N.asked(VARIABLES);
        for (let i = 0; i + 1 < variables.length; i += 2) this.#params[variables[i]] = variables[i + 1];
      }
      return this.#params;
    }
    /** The body as it came. */
    bytes() { return (this.#body ??= N.asked(BODY)); }
    text() {
      const text = N.utf8(this.bytes());
      if (text === undefined || text === null) throw N.clean(new BadRequest("the body is not text in UTF-8"));
      return text;
    }
    json() {
      try { return JSON.parse(this.text()); } catch (e) {
        throw e instanceof BadRequest ? e : N.clean(new BadRequest(`the body is not JSON: ${e.message}`));
      }
    }
    /** The fields and files of a form. */
    form() {
      const type = this.headers.get("content-type") ?? "", kind = type.split(";")[0].trim().toLowerCase();
      if (kind === "application/x-www-form-urlencoded") return new Form(new Query(this.text()));
      if (kind !== "multipart/form-data") throw N.clean(new BadRequest(`the body is not a form: its type is ${JSON.stringify(type)}`));
      const read = N.formRead(type, this.bytes());
      if (typeof read === "string") throw N.clean(new BadRequest(`the body is not a form: ${read}`));
      const pairs = [];
      for (let i = 0; i + 3 < read.length; i += 4) {
        const [name, file, type, bytes] = read.slice(i, i + 4);
        if (file !== null) { pairs.push([name, new FormFile(file, type, bytes)]); continue; }
        const text = N.utf8(bytes);
        if (text === undefined || text === null) throw N.clean(new BadRequest(`the field ${JSON.stringify(name)} of the form is not text in UTF-8`));
        pairs.push([name, text]);
      }
      return new Form(pairs);
    }
    /** The body's root element. */
    xml() {
      const text = this.text();
      try { return N.XML.parse(text); } catch (e) {
        throw e instanceof SyntaxError ? new BadRequest(`the body is ${e.message}`) : e;
      }
    }
    /** The first of these media types that the client takes, by its Accept. */
    accepts(...types) {
      const accept = this.headers.get("accept");
      if (accept === undefined) return types[0];
      const ranges = accept.split(",").map((r) => {
        const [range, ...parameters] = r.split(";").map((p) => p.trim().toLowerCase());
        const q = parameters.find((p) => p.startsWith("q="));
        return [range, q === undefined ? 1 : Number(q.slice(2)) || 0];
      });
      const weight = (type) => {
        const [kind] = type.split("/");
        for (const range of [type, `${kind}/*`, "*/*"]) {
          const found = ranges.find(([r]) => r === range);
          if (found) return found[1];
        }
        return 0;
      };
      let best, most = 0;
      for (const type of types) {
        const w = weight(type);
        if (w > most) [best, most] = [type, w];
      }
      return best;
    }
  }

  // JSON has no numbers of any length that all readers take.
  const digits = (v) => (Number.isSafeInteger(Number(v)) ? Number(v) : String(v));
  class Response {
    // Whether the body was begun by `write`, and whether a part was sent.
    #body = []; #status = 200; #written = false; #begun = false;
    // Made when they are asked for; until then the type that is ours.
    #headers; #type;
    get headers() {
      if (this.#headers === undefined) {
        this.#headers = new Headers();
        if (this.#type !== undefined) this.#headers[DEFAULT]("content-type", this.#type);
      }
      return this.#headers;
    }
    #flat() {
      if (this.#headers !== undefined) return this.#headers[FLAT]();
      return this.#type === undefined ? [] : ["content-type", this.#type];
    }
    get status() { return this.#status; }
    set status(status) {
      if (this.#begun) throw N.clean(new Error("the answer has begun: its status was sent"));
      if (!Number.isInteger(status) || status < 200 || status > 599) {
        throw N.clean(new RangeError(`a status is a whole number from 200 to 599, not ${N.json(status)}`));
      }
      this.#status = status;
    }
    set type(type) { this.headers.set("content-type", type); }
    get type() { return this.#headers === undefined ? this.#type : this.#headers.get("content-type"); }
    #as(type) {
      if (this.#headers === undefined) this.#type ??= type;
      else this.#headers[DEFAULT]("content-type", type);
    }
    /** Adds to the body. */
    write(part) {
      this.#written = true;
      this.#body.push(typeof part === "string" ? well(part) : N.asBytes(part, "the body"));
      return this;
    }
    text(text) { this.#as("text/plain; charset=utf-8"); this.#written = false; this.#body = [well(String(text))]; return this; }
    json(value) {
      this.#as("application/json");
      this.#written = false;
      this.#body = [typeof value?.json === "function" ? value.json() : N.stringify(value, digits) ?? "null"];
      return this;
    }
    xml(value, root) { this.#as("application/xml"); this.#written = false; this.#body = [well(N.XML.stringify(value, root))]; return this; }
    bytes(bytes) { this.#as("application/octet-stream"); this.#written = false; this.#body = [N.asBytes(bytes, "the body")]; return this; }
    /** The answer for what a handler gave back. */
    [N.TAKE](value) {
      if (value === undefined || value === this) return;
      if (this.#begun || this.#written) { this.write(typeof value === "string" ? value : N.asBytes(value, "the rest of an answer that has begun")); return; }
      if (typeof value === "string") this.text(value);
      else if (value?.byteLength !== undefined && (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)) this.bytes(value);
      else this.json(value);
    }
    /** Sends what was written so far; the rest follows, and the end with the handler's. */
    flush() {
      const part = this[N.BYTES]();
      this.#body = [];
      this.#begun = true;
      const sent = N.done(N.send(this.#status, this.#flat(), part), "flush");
      this.headers[SENT]();
      if (!sent) throw N.clean(new Error("the client has disconnected"));
      return this;
    }
    /** The whole of it, for the engine. */
    [N.ANSWER]() { return [false, this.#status, this.#flat(), this[N.BYTES]()]; }
    [N.BYTES]() {
      if (this.#body.length === 0) return null;
      if (this.#body.length === 1) return this.#body[0];
      if (this.#body.every((p) => typeof p === "string")) return this.#body.join("");
      const parts = this.#body.map((p) => (typeof p === "string" ? N.toUtf8(p) : p));
      const whole = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
      let at = 0;
      for (const part of parts) { whole.set(part, at); at += part.length; }
      return whole;
    }
  }

  /** Another server did not answer, or may not be asked. */
  class FetchError extends Error {
    get name() { return "FetchError"; }
  }

  /** What another server answered. */
  class FetchAnswer {
    #body;
    constructor([status, headers, body], url) {
      this.status = status;
      this.url = url;
      this.headers = new Headers(headers);
      this.#body = body;
    }
    get ok() { return this.status >= 200 && this.status < 300; }
    bytes() { return this.#body; }
    text() {
      const text = N.utf8(this.#body);
      if (text === undefined || text === null) throw N.clean(new FetchError(`${this.url} answered with what is not text in UTF-8`));
      return text;
    }
    json() {
      try { return JSON.parse(this.text()); } catch (e) {
        throw e instanceof FetchError ? e : new FetchError(`${this.url} answered with what is not JSON: ${e.message}`);
      }
    }
    xml() { return N.XML.parse(this.text()); }
  }

  /** Asks another server, of those that the settings allow. */
  const fetch = (url, { method = "GET", headers = {}, body, json, timeout } = {}) => {
    const flat = [], address = String(url);
    const list = typeof headers[Symbol.iterator] === "function" ? headers : Object.entries(headers);
    for (const [name, value] of list) flat.push(String(name), String(value));
    let sent;
    if (json !== undefined) {
      sent = toUtf8(JSON.stringify(json) ?? "null");
      if (!flat.some((n, i) => i % 2 === 0 && n.toLowerCase() === "content-type")) flat.push("content-type", "application/json");
    } else if (body !== undefined && body !== null) {
      sent = typeof body === "string" ? toUtf8(body) : N.asBytes(body, "the body");
    }
    const limit = timeout === undefined ? undefined : Math.max(1, Math.min(2 ** 31, Math.round(Number(timeout)) || 1));
    const why = (result) => {
      if (result?.refused === "fetch") throw N.clean(new FetchError(result.message));
      return N.done(result, `fetch of ${address}`);
    };
    return new Promise((resolve, reject) => {
      const id = N.expect((result) => {
        try { resolve(new FetchAnswer(why(result), address)); } catch (e) { reject(e); }
      });
      try { why(N.fetch(id, [address, String(method).toUpperCase(), limit], flat, sent)); } catch (e) { N.forget(id); throw e; }
    });
  };

  Object.defineProperty(globalThis, "fetch", { value: fetch, writable: true, configurable: true });
  Object.defineProperty(globalThis, "FetchError", { value: FetchError, writable: true, configurable: true });
  N.Request = Request;
  N.Response = Response;
  N.BadRequest = BadRequest;
  Object.defineProperty(globalThis, "BadRequest", { value: BadRequest, writable: true, configurable: true });
}
