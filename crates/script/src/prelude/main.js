// One request: finds the handler, runs it, and keeps what came of it.
(N) => {
  let told;

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
      message = "threw something that cannot be told";
    }
    return [true, code, name, message, stack, line, program];
  };

  const answered = (response) => {
    const flat = [];
    for (const [name, value] of response.headers) flat.push(name, value);
    return [false, response.status, flat, response[N.BYTES]()];
  };

  N.main = async (script, given) => {
    try {
      const request = new N.Request(given), response = new N.Response();
      const problem = (status, title, detail) => {
        const made = new N.Response();
        made.status = status;
        made.type = "application/problem+json";
        made.json({ type: "about:blank", title, status, detail });
        return made;
      };
      const handler = script[request.method] ?? (request.method === "HEAD" ? script.GET : undefined) ?? script.default;
      if (typeof handler !== "function") {
        const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];
        const has = (method) => typeof (script[method] ?? (method === "HEAD" && script.GET)) === "function";
        const allow = methods.filter(has).join(", ");
        const refused = problem(405, "Method not allowed", `the script takes ${allow || "nothing"}, not ${request.method}`);
        refused.headers.set("allow", allow);
        told = answered(refused);
        return;
      }
      try {
        response[N.TAKE](await handler(request, response));
        told = answered(response);
      } catch (e) {
        if (!(e instanceof N.BadRequest)) throw e;
        told = answered(problem(400, "Bad request", e.message));
      }
    } catch (e) {
      told = failed(e);
    }
  };
  N.outcome = () => told;
}
