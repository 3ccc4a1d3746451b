// One request: finds the handler, runs it, and keeps what came of it.
(N) => {
  let taskOutcome, linked = false;

  const failed = (error) => {
    let name = "", message = "", stack = "", code = "AJST", line = 0, program = "";
    try {
      if (error instanceof Error) {
        name = String(error.name);
        message = `${name}: ${error.message}`;
        stack = String(error.stack ?? "");
        if (error instanceof N.CicsAbend) {
          code = String(error.code);
          line = error.final ? 0 : error.line ?? 0;
          program = error.final ? "" : error.program ?? "";
          message = error.message;
        } else if (name === "RangeError" && /call stack|stack overflow/i.test(error.message)) {
          code = "AJSS";
          message = "calls within calls used up the script's stack";
        }
      } else {
        message = `threw ${typeof error === "string" ? JSON.stringify(error) : N.json(error)}`;
      }
    } catch {
      message = "threw something that could not be shown";
    }
    return [true, code, name, message, stack, line, program];
  };

  const answered = (response) => response[N.ANSWER]();
  const problem = (status, title, detail) => {
    const made = new N.Response();
    made.status = status;
    made.type = "application/problem+json";
    made.json({ type: "about:blank", title, status, detail });
    return made;
  };
  /** The end of a handler that threw. */
  const thrown = N.thrown = (error) => {
    try {
      taskOutcome = error instanceof N.BadRequest && !linked ? answered(problem(400, "Bad request", error.message)) : failed(error);
    } catch (e) {
      taskOutcome = failed(e);
    }
  };
  const given = (response, value) => {
    response[N.TAKE](value);
    taskOutcome = answered(response);
  };
  const later = async (response, promise) => {
    try { given(response, await promise); } catch (e) { thrown(e); }
  };
  /** The end of a handler that gave something back, or a promise of it. */
  N.gave = (response, value) => {
    try {
      if (value !== null && typeof value === "object" && typeof value.then === "function") later(response, value);
      else given(response, value);
    } catch (e) {
      thrown(e);
    }
  };
  const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
  const refuse = (script, method) => {
    const has = (name) => typeof (script[name] ?? (name === "HEAD" && script.GET)) === "function";
    const allow = methods.filter(has).join(", ");
    const refused = problem(405, "Method not allowed", `the script takes ${allow || "nothing"}, not ${method}`);
    refused.headers.set("allow", allow);
    taskOutcome = answered(refused);
  };

  /** The handler with its request and response, to be called with no frame of this file beneath it. */
  N.begin = (script, method) => {
    try {
      if (method === undefined) {
        linked = true;
        const call = N.caller = new N.ProgramCall();
        return [script.LINK, call, call];
      }
      // Other exports are not a client's to call.
      const own = methods.includes(method) ? script[method] ?? (method === "HEAD" ? script.GET : undefined) : undefined;
      const handler = own ?? script.default;
      if (typeof handler === "function") return [handler, new N.Request(method), new N.Response()];
      refuse(script, method);
    } catch (e) {
      thrown(e);
    }
  };
  N.outcome = () => taskOutcome;

  // The language makes its functions when they are first asked for. What a request makes is gone
  // with it, so they are made now, once.
  const made = new Set([globalThis]);
  for (const object of made) {
    for (const key of Reflect.ownKeys(object)) {
      const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, key);
      for (const part of [value, get, set]) {
        if (part !== null && (typeof part === "object" || typeof part === "function")) made.add(part);
      }
    }
    const proto = Object.getPrototypeOf(object);
    if (proto !== null) made.add(proto);
  }
  for (const make of [() => [].values(), () => new Map().values(), () => new Set().values(), () => ""[Symbol.iterator](),
                      () => (function* () {})(), () => (async function* () {})(), () => "".matchAll(/x/g), () => async () => {}]) {
    for (let at = make(); at !== null; at = Object.getPrototypeOf(at)) {
      for (const key of Reflect.ownKeys(at)) Reflect.getOwnPropertyDescriptor(at, key);
    }
  }
}
