//! Scripts that would harm the region, by accident or on purpose: the script
//! ends, and the next request is served as ever.

use script::Limits;

use crate::world::{Script, load_all, reported};

fn limits() -> Limits {
    Limits {
        memory_bytes: 8 << 20,
        stack_bytes: 256 << 10,
        runaway_ms: 100,
    }
}

/// A script whose GET does what the query says, so that the same engine is
/// asked again.
fn script(body: &str) -> Script {
    within(body, limits())
}

fn within(body: &str, limits: Limits) -> Script {
    let text = format!(
        "export async function GET(request) {{ if (request.path === '/ok') return 'ok'; {body} }}"
    );
    load_all(&[("main.js", &text)], limits).unwrap()
}

/// The abend code of a body, and that the engine still serves afterwards.
fn ends(body: &str) -> String {
    ends_within(body, limits())
}

fn ends_within(body: &str, limits: Limits) -> String {
    let mut script = within(body, limits);
    let code = reported(script.get("/"))
        .split(':')
        .next()
        .unwrap_or_default()
        .to_owned();
    for _ in 0..3 {
        assert_eq!(reported(script.get("/ok")), "ok", "after {body}");
    }
    code
}

#[test]
fn endless_loops_are_ended() {
    for body in [
        "for (;;) {}",
        "while (true) { try { for (;;) {} } catch { continue } finally { continue } }",
        "for (;;) await 0",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "[1].map(function f() { for (;;) {} })",
        "JSON.stringify({ toJSON() { for (;;) {} } })",
        "return { get a() { for (;;) {} } }",
    ] {
        assert_eq!(ends(body), "AICA", "{body}");
    }
}

#[test]
fn endless_recursion_is_ended() {
    assert_eq!(ends("const f = () => f() + 1; f()"), "AJSS");
    assert_eq!(
        ends("const f = () => JSON.stringify({ toJSON: f }); f()"),
        "AJSS"
    );
    let nested = "let a = []; for (let i = 0; i < 2e4; i++) a = [a]; return a";
    assert_eq!(ends(nested), "AJSS");
}

#[test]
fn memory_without_end_is_refused() {
    for body in [
        "const a = []; for (;;) a.push(new Uint8Array(100000))",
        "const a = []; for (;;) a.push({ a })",
        "new Uint8Array(1e9)",
        "'x'.repeat(5e8)",
        "new Array(1e8).fill(0)",
        "const f = () => Promise.resolve().then(f); await f()",
        "const m = new Map(); for (let i = 0; ; i++) m.set(i, 'x'.repeat(100))",
    ] {
        // Time enough to use up the memory.
        let limits = Limits {
            runaway_ms: 30_000,
            ..limits()
        };
        assert_eq!(ends_within(body, limits), "AJSM", "{body}");
    }
}

#[test]
fn a_string_has_a_largest_length() {
    // It is put together from parts that share their memory.
    assert_eq!(ends("let s = 'x'; for (;;) s += s"), "AJST");
}

#[test]
fn memory_that_was_refused_can_be_caught_and_the_rest_goes_on() {
    let mut script = script("try { new Uint8Array(1e9) } catch (e) { return 'small' }");
    assert_eq!(reported(script.get("/")), "small");
}

#[test]
fn anything_thrown_is_reported() {
    let cases = [
        ("throw 7", "threw 7"),
        ("throw 'text'", "threw \"text\""),
        ("throw null", "threw null"),
        ("throw undefined", "threw undefined"),
        ("throw { a: 1 }", "threw {\"a\":1}"),
        ("throw Object.create(null)", "threw {}"),
        (
            "throw { toString() { throw 1 }, toJSON() { throw 2 } }",
            "could not be shown",
        ),
        (
            "throw Object.defineProperty(new Error, 'message', { get() { throw 1 } })",
            "could not be shown",
        ),
        ("throw Symbol('s')", "threw"),
    ];
    for (body, wanted) in cases {
        let mut script = script(body);
        let reported = reported(script.get("/"));
        assert!(
            reported.starts_with("AJST: ") && reported.contains(wanted),
            "{body}: {reported}"
        );
        assert_eq!(script.get("/ok").unwrap(), "ok");
    }
}

#[test]
fn promises_that_are_never_settled_or_handled_end_the_task() {
    assert_eq!(ends("await new Promise(() => {})"), "AJSP");
    assert_eq!(ends("Promise.reject(new Error('lost')); return 1"), "AJSP");
    let handled = "const p = Promise.reject(1); await 0; p.catch(() => {}); return 'handled'";
    assert_eq!(reported(script(handled).get("/")), "handled");
}

#[test]
fn an_unhandled_rejection_is_reported_with_its_line() {
    let text = "export async function GET() {\n  lost();\n  return 1;\n}\nasync function lost() {\n  throw new Error('lost');\n}";
    let mut script = load_all(&[("main.js", text)], limits()).unwrap();
    let failure = script.get("/").unwrap_err();
    assert_eq!(failure.abend.code, "AJSP");
    assert_eq!(
        (failure.abend.program.as_str(), failure.abend.line),
        ("main.js", 6)
    );
    let text = "export const GET = () => 1;\nPromise.reject(new Error('early'));";
    let mistake = load_all(&[("main.js", text)], limits()).err().unwrap();
    assert_eq!(mistake.line, 2, "{mistake}");
}

#[test]
fn what_is_no_command_does_not_keep_a_loop_alive() {
    for body in [
        "for (;;) console.log('x')",
        "for (;;) try { cics.file('NONE') } catch {}",
    ] {
        assert_eq!(ends(body), "AICA", "{body}");
    }
}

#[test]
fn half_of_a_surrogate_pair_travels_as_the_replacement_character() {
    for body in [
        "return '\\ud800'",
        "console.log('\\ud800'); cics.log('\\ud800'); return '\\ufffd'",
        "const r = arguments[1]; r.write('\\ud800').write(new Uint8Array(0))",
    ] {
        assert_eq!(reported(script(body).get("/")), "\u{fffd}", "{body}");
    }
}

#[test]
fn tricks_with_prototypes_hit_the_script_alone() {
    for body in [
        "Array.prototype[Symbol.iterator] = () => { throw new Error('mine') }; cics.link('A', {channel: {B: 'c'}})",
        "Object.prototype.refused = 'abend'; cics.link('A')",
        "Uint8Array.prototype.set = null; cics.link('A', {commarea: 'x'})",
        "Promise.prototype.then = () => { throw new Error('mine') }; await cics.run('A')",
        "delete globalThis.cics; cics.link('A')",
        "Object.defineProperty(Object.prototype, 'status', { get() { throw 1 }, set() { throw 2 } })",
        "globalThis.Error = null; throw new TypeError('x')",
        "cics.link(Object.create(null))",
        "cics.link({ toString() { throw new Error('mine') } })",
        "cics.link('A', { get commarea() { return new Uint8Array(new ArrayBuffer(8).transfer(4)) } })",
        "const b = new ArrayBuffer(8); const a = new Uint8Array(b); b.transfer(); cics.link('A', {commarea: a})",
        "cics.exec('WRITEQ TS', { QUEUE: 'A', FROM: { toString: null } })",
        "cics.exec('NOSUCH'); ",
        "cics.exec('WRITEQ TS', { get QUEUE() { throw 1 } })",
        "cics.file('ACCTFILE').read({})",
        "request.headers; return Object.getOwnPropertyNames(globalThis).map((n) => { try { return String(globalThis[n]) } catch { return n } }).length",
    ] {
        ends(body);
    }
}

#[test]
fn a_header_cannot_smuggle_another_one() {
    for given in [
        "set('a', 'b\\r\\nc: d')",
        "append('a', 'b\\r\\nc: d')",
        "append('set-cookie', 'b\\nc: d')",
        "append('a\\r\\nb', 'c')",
        "set('a', '\\x01')",
        "set('', 'a')",
    ] {
        let mut script = script(&format!("arguments[1].headers.{given}"));
        let reported = reported(script.get("/"));
        assert!(
            reported.contains("is not a valid header"),
            "{given}: {reported}"
        );
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(64))]
    #[test]
    fn no_text_of_a_script_panics(text in "(export|const|await|function|class|\\(|\\)|\\{|\\}|=>|`|'|\"|/|\\*|;|\\.|a|1|\\n| |\u{0}|é){0,40}") {
        let _ = load_all(&[("main.js", &text)], limits());
    }
}
