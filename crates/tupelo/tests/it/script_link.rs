//! Programs that link to scripts, and scripts to scripts: one unit of work,
//! conditions and abends in both directions, and limits of endless scripts.

use serde_json::{Value, json};

use crate::script::{ScriptBank, write};

/// Links to the program that its COMMAREA names, and returns the condition.
const CALLER: &str = include_str!("../../testdata/programs/script_link/CALLER.cbl");
/// The same with its own channel; an abend of the program is caught.
const CHANCALL: &str = include_str!("../../testdata/programs/script_link/CHANCALL.cbl");
/// Transfers control to the script with its own data, or names it as the exit for
/// its own abend.
const OVER: &str = include_str!("../../testdata/programs/script_link/OVER.cbl");
/// Executes the script text of a queue, so that a test contains its own steps.
const GUEST: &str = "
import { Account, inquire, record } from './tools.js';
const Async = (async () => {}).constructor;
export async function LINK(call) {
  const code = String.fromCharCode(...cics.ts('CODE').read(1));
  return new Async('call', 'Account', 'inquire', 'record', 'text', code)(
    call, Account, inquire, record, call.commarea && String.fromCharCode(...call.commarea).trim());
}
";
const TOOLS: &str = "
export const Account = new Copybook('ACCOUNT');
const Inquiry = new Copybook('ACCTINQ');
export const inquire = (number) => {
  const area = Inquiry.from({ INQ_NUMBER: number });
  cics.link('ACCTINQ', { commarea: area });
  return area;
};
export const record = (number, holder) => Account.from({
  ACCOUNT_NUMBER: number, ACCOUNT_HOLDER: holder, ACCOUNT_KIND: 'CURRENT' });
";
/// The answer of the tests' script to a call of CALLER.
const CALL: &str = "
const call = (program, area = '') => {
  const { commarea } = cics.link('CALLER', { commarea: program.padEnd(16) + area.padEnd(40) });
  const text = String.fromCharCode(...commarea);
  return [Number(text.slice(8, 12)), Number(text.slice(12, 16)), text.slice(16).trim()];
};
const separately = async (program, area = '') => {
  const { commarea } = await cics.run('CALLER', { commarea: program.padEnd(16) + area.padEnd(40) });
  return String.fromCharCode(...commarea).slice(16).trim();
};
";

struct LinkedBank(ScriptBank);

impl LinkedBank {
    fn start(settings: &str) -> LinkedBank {
        let programs =
            format!("{settings}\n[script.programs]\nGUEST = \"guest.js\"\nOFF = \"guest.js\"\n");
        let definitions = "\nDEFINE PROGRAM(CALLER) GROUP(BANK)\nDEFINE PROGRAM(CHANCALL) GROUP(BANK)\n\
                           DEFINE PROGRAM(OFF) GROUP(BANK) STATUS(DISABLED)\n\
                           DEFINE PROGRAM(STOPPED) GROUP(BANK) STATUS(DISABLED)\n\
                           DEFINE PROGRAM(MISSING) GROUP(BANK)\n\
                           DEFINE TRANSACTION(GSTT) GROUP(BANK) PROGRAM(GUEST)\n\
                           DEFINE TRANSACTION(OFFT) GROUP(BANK) PROGRAM(OFF)\n";
        let folder = ScriptBank::folder(&programs, definitions);
        write(folder.path(), "cobol/CALLER.cbl", CALLER);
        write(folder.path(), "cobol/CHANCALL.cbl", CHANCALL);
        write(folder.path(), "cobol/OVER.cbl", OVER);
        let stopped = CALLER.replace("CALLER", "STOPPED");
        write(folder.path(), "cobol/STOPPED.cbl", &stopped);
        write(folder.path(), "scripts/guest.js", GUEST);
        write(folder.path(), "scripts/tools.js", TOOLS);
        LinkedBank(ScriptBank::of(folder))
    }

    /// Sets the script text of the guest.
    fn guest(&self, code: &str) -> &LinkedBank {
        let code = serde_json::to_string(code).unwrap();
        self.0.value(&format!(
            "try {{ cics.ts('CODE').delete() }} catch {{}} cics.ts('CODE').write({code})"
        ));
        self
    }

    fn value(&self, body: &str) -> Value {
        self.0.value(&format!("{CALL}{body}"))
    }

    fn abend(&self, body: &str) -> String {
        self.0.abend(&format!("{CALL}{body}"))
    }

    fn is_well(&self) {
        assert_eq!(
            self.0.value("return inquire(10000001).INQ_HOLDER"),
            "Ada Byron"
        );
    }
}

#[test]
fn a_program_links_to_a_script_as_to_any_program() {
    let bank = LinkedBank::start("");
    bank.guest("call.commarea.set([72, 105]); return 'Hello, ' + inquire(10000001).INQ_HOLDER");
    assert_eq!(
        bank.value("return [call('GUEST', 'x'), await separately('GUEST', 'y')]"),
        json!([[0, 0, "Hello, Ada Byron"], "Hello, Ada Byron"]),
        "within the script's task, and within a task of the program's own"
    );
    assert_eq!(
        bank.value("return [call('ABSENT'), call('OFF'), await separately('ABSENT')]"),
        json!([[27, 1, ""], [27, 2, ""], ""]),
        "PGMIDERR: not there, disabled"
    );
    let asks = "const describe = (e) => e.condition + ' ' + e.resp2;
        const linked = (name) => { try { cics.link(name) } catch (e) { return describe(e) } };
        const ran = (name) => cics.run(name).catch(describe);
        const names = ['ABSENT', 'OFF', 'STOPPED', 'MISSING'];";
    let conditions = json!(["PGMIDERR 1", "PGMIDERR 2", "PGMIDERR 2", "PGMIDERR 3"]);
    assert_eq!(
        bank.value(&format!(
            "{asks} return [names.map(linked), await Promise.all(names.map(ran))]"
        )),
        json!([conditions, conditions]),
        "of a script's task, and of separate tasks"
    );
    bank.guest(&format!(
        "{asks} return names.map(linked).map((shown) => shown.slice(-1)).join('')"
    ));
    assert_eq!(bank.value("return call('GUEST')[2]"), "1223", "a guest");
    bank.guest("return [cics.task.transid, cics.task.number, call.program].join(' ')");
    let numbers = bank.value("return [cics.task.number, call('GUEST')[2]]");
    assert_eq!(numbers[1], format!("CJSR {} GUEST", numbers[0]), "one task");
    bank.guest(
        "call.channel.put('BACK', call.channel.text('NAME') + '!'); return { ALSO: 'more' }",
    );
    let back = "const { channel } = cics.link('CHANCALL', { channel: { NAME: 'Ada' } });
                return channel.names.sort().map((n) => n + '=' + channel.text(n))";
    assert_eq!(
        bank.value(back),
        json!(["ALSO=more", "BACK=Ada!", "NAME=Ada"])
    );
}

#[test]
fn a_script_links_to_a_script_and_both_share_a_unit_of_work() {
    let bank = LinkedBank::start("");
    bank.guest("cics.file('ACCTFILE').write(record(30000001, text)); return text.toUpperCase()");
    assert_eq!(
        bank.value(
            "const { commarea } = cics.link('GUEST', { commarea: 'ada  ' });
             return [String.fromCharCode(...commarea), inquire(30000001).INQ_HOLDER]"
        ),
        json!(["ADA  ", "ada"])
    );
    bank.guest("cics.file('ACCTFILE').write(record(30000002, text)); return text");
    let lost =
        "call('GUEST', 'eve'); if (inquire(30000002).INQ_HOLDER === 'eve') cics.abend('MINE')";
    assert_eq!(bank.abend(lost), "MINE");
    assert_eq!(
        bank.value("return inquire(30000002).RESULT_CODE"),
        404,
        "what the guest wrote was backed out with its caller"
    );
    bank.guest("cics.file('ACCTFILE').write(record(30000003, text)); cics.rollback(); cics.file('ACCTFILE').write(record(30000004, text)); cics.syncpoint(); return inquire(30000004).INQ_HOLDER");
    assert_eq!(
        bank.abend("call('GUEST', 'ida'); cics.abend('MINE')"),
        "MINE"
    );
    assert_eq!(
        bank.value("return [3, 4].map((n) => inquire(30000000 + n).RESULT_CODE)"),
        json!([404, 0])
    );
    bank.guest("const all = await Promise.all([10000001, 10000008].map((n) => cics.run('ACCTINQ', { commarea: new Copybook('ACCTINQ').from({ INQ_NUMBER: n }) }))); return String(all.length)");
    assert_eq!(
        bank.value("return [call('GUEST')[2], await separately('GUEST')]"),
        json!(["2", "2"])
    );
}

#[test]
fn abends_cross_from_scripts_to_programs_and_back() {
    let bank = LinkedBank::start("");
    for (code, abend) in [
        ("cics.abend('MINE')", "MINE"),
        ("throw 7", "AJST"),
        ("nowhere()", "AJST"),
        ("await new Promise(() => {})", "AJSP"),
        ("Promise.reject(1)", "AJSP"),
        ("const f = () => f() + 1; f()", "AJSS"),
        ("return 'x'.repeat(41)", "AJST"),
        ("cics.link('ACCTINQ', { commarea: 'short' })", "BKCA"),
    ] {
        bank.guest(code);
        assert_eq!(bank.abend("call('GUEST')"), abend, "{code}");
        assert_eq!(bank.abend("await separately('GUEST')"), abend, "{code}");
        assert_eq!(bank.abend("cics.link('GUEST')"), abend, "{code}");
        let caught = "try { call('GUEST') } catch (e) { return [e.name, e.code] }";
        assert_eq!(bank.value(caught), json!(["CicsAbend", abend]), "{code}");
        let channel = "const { channel } = cics.link('CHANCALL', { channel: { A: 'b' } }); return channel.text('CAUGHT')";
        assert_eq!(bank.value(channel), abend, "HANDLE ABEND gets {code}");
        bank.is_well();
    }
    bank.guest("try { cics.link('ACCTINQ', { commarea: 'short' }) } catch (e) { return e.code + ' ' + e.program }");
    assert_eq!(bank.value("return call('GUEST')[2]"), "BKCA ACCTINQ");
    bank.guest("try { cics.link('ABSENT') } catch (e) { return e.condition + ' ' + e.resp2 }");
    assert_eq!(bank.value("return call('GUEST')[2]"), "PGMIDERR 1");
}

#[test]
fn programs_and_scripts_that_link_to_one_another_for_ever_are_ended() {
    let bank = LinkedBank::start("");
    bank.guest("cics.link('CALLER', { commarea: 'GUEST'.padEnd(56) })");
    for body in [
        "call('GUEST')",
        "await separately('GUEST')",
        "cics.link('GUEST')",
    ] {
        let code = bank.abend(body);
        assert!(["AJSN", "ASRA"].contains(&&*code), "{body}: {code}");
        bank.is_well();
    }
    bank.guest("cics.link('GUEST', { commarea: 'x' })");
    for body in [
        "call('GUEST')",
        "await separately('GUEST')",
        "cics.link('GUEST')",
    ] {
        assert_eq!(bank.abend(body), "AJSN", "{body}");
        bank.is_well();
    }
}

#[test]
fn a_program_goes_over_to_a_script_by_xctl() {
    let bank = LinkedBank::start("");
    let over = "const over = (program, how = '') => {
        const area = program.padEnd(16) + how.padEnd(40);
        const { commarea } = cics.link('OVER', { commarea: area });
        return String.fromCharCode(...commarea).trim();
    };";
    bank.guest("return 'gone over to ' + call.program + ', ' + inquire(10000001).INQ_HOLDER");
    assert_eq!(
        bank.value(&format!("{over} return over('GUEST')")),
        "gone over to GUEST, Ada Byron"
    );
    assert_eq!(
        bank.value(&format!(
            "{over} return ['OFF', 'MISSING', 'ABSENT'].map((name) => over(name))"
        )),
        json!(["OFF     00270002", "MISSING 00270003", "ABSENT  00270001"])
    );
    bank.guest("cics.abend('GONE')");
    assert_eq!(bank.abend(&format!("{over} over('GUEST')")), "GONE");
    bank.guest("return 'after the abend'");
    assert_eq!(
        bank.value(&format!("{over} return over('GUEST', 'EXIT')")),
        "after the abend EXIT",
        "a script is the program of HANDLE ABEND"
    );
    bank.is_well();
}

#[test]
fn a_script_goes_over_to_a_program_by_xctl() {
    let bank = LinkedBank::start("");
    let asked = "const area = new Copybook('ACCTINQ').from({ INQ_NUMBER: 10000001 });";
    let over = "try { cics.xctl('ACCTINQ', { commarea: call.commarea }) }
                finally { cics.ts('ON').write('after XCTL') }";
    bank.guest(over);
    assert_eq!(
        bank.value(&format!(
            "{asked} cics.link('GUEST', {{ commarea: area }});
             const one = area.INQ_HOLDER;
             const {{ commarea }} = await cics.run('GUEST', {{ commarea: new Copybook('ACCTINQ').from({{ INQ_NUMBER: 10000001 }}) }});
             return [one, commarea.INQ_HOLDER, cics.ts('ON').read(1) ?? 'nothing']"
        )),
        json!(["Ada Byron", "Ada Byron", "nothing"]),
        "within a script's task, and in a task that began with the script"
    );
    bank.guest(&format!(
        "call.commarea.set([72, 105]); {asked} cics.xctl('ACCTINQ', {{ commarea: area }})"
    ));
    assert_eq!(
        bank.value("return [call('GUEST', 'x')[2], await separately('GUEST', 'x')]"),
        json!(["Hi", "Hi"]),
        "what is the script's own is gone with it"
    );
    bank.guest("cics.xctl('ACCTLIST', { channel: call.channel })");
    let list = "const channel = { 'LIST-REQUEST': new Copybook('LISTREQ').from({ LIST_START: 0, LIST_LIMIT: 1 }) };
        const linked = cics.link('GUEST', { channel }).channel;
        const ran = (await cics.run('GUEST', { channel })).channel;
        return [linked, ran].map((c) => new Copybook('LISTRPL').view(c.get('LIST-REPLY')).LIST_ENTRY[0].ENTRY_HOLDER)";
    assert_eq!(bank.value(list), json!(["Ada Byron", "Ada Byron"]));
    let refused = "return ['OFF', 'MISSING', 'ABSENT', 'no such name']
        .map((p) => { try { cics.xctl(p) } catch (e) { return e.condition + ' ' + e.resp2 } }).join()";
    bank.guest(refused);
    let conditions = "PGMIDERR 2,PGMIDERR 3,PGMIDERR 1,undefined undefined";
    assert_eq!(bank.value(refused), conditions);
    assert_eq!(
        bank.value("return ['OFF', 'ABSENT'].map((p) => { try { cics.link(p) } catch (e) { return e.resp2 } })"),
        json!([2, 1]),
        "a script that is disabled is linked to by none"
    );
    bank.guest("cics.file('ACCTFILE').write(record(40000001, 'Lost')); try { cics.xctl('ACCTINQ', { commarea: 'short' }) } catch {}");
    for body in [
        "call('GUEST')",
        "cics.link('GUEST')",
        "await separately('GUEST')",
    ] {
        assert_eq!(bank.abend(body), "BKCA", "{body}");
    }
    assert_eq!(bank.value("return inquire(40000001).RESULT_CODE"), 404);
    bank.guest("cics.xctl('GUEST', { commarea: call.commarea })");
    for body in ["call('GUEST')", "cics.link('GUEST')"] {
        assert_eq!(
            bank.abend(body),
            "AJSN",
            "{body}: one after the other for ever"
        );
    }
    let answer = bank.0.run(
        "response.status = 202; response.text('gone over'); cics.xctl('ACCTINQ', { commarea: new Copybook('ACCTINQ').from({ INQ_NUMBER: 10000001 }) })",
    );
    assert_eq!((answer.status, &*answer.body), (202, &b"gone over"[..]));
    assert_eq!(
        bank.abend("cics.xctl('ACCTINQ', { commarea: 'short' })"),
        "BKCA"
    );
    bank.is_well();
}

#[test]
fn a_script_is_the_first_program_of_a_transaction() {
    let bank = LinkedBank::start("");
    bank.guest(
        "const data = [];
         for (let next; (next = cics.retrieve()) !== undefined;) data.push(String.fromCharCode(...next));
         cics.file('ACCTFILE').write(record(20000001, 'Started'));
         cics.ts('NOTE').write([cics.task.transid, call.program, call.commarea, data].join(' '));",
    );
    let read_note = "for (let i = 0; i < 500; i++) {
        const note = cics.ts('NOTE').read(1);
        if (note) { cics.ts('NOTE').delete(); return String.fromCharCode(...note); }
        cics.delay(20);
    }";
    bank.value("cics.start('GSTT', { data: 'a start' })");
    assert_eq!(bank.value(read_note), "GSTT GUEST  a start");
    let held = "for (let i = 0; i < 500; i++) {
        const holder = inquire(20000001).INQ_HOLDER;
        if (holder) return holder;
        cics.delay(20);
    }";
    assert_eq!(bank.value(held), "Started", "what it changed is committed");
    bank.guest(
        "const [data, why] = [cics.retrieve(), (() => {
           try { cics.exec('RETRIEVE', { INTO: true }) } catch (e) { return e.condition }
         })()];
         cics.ts('NOTE').write([call.channel.text('IN'), data, why].join(' '))",
    );
    bank.value("cics.start('GSTT', { channel: { IN: 'a channel' } })");
    assert_eq!(bank.value(read_note), "a channel  INVREQ");
    bank.value(
        "cics.start('GSTT', { seconds: 3600, reqid: 'LATER' }); cics.exec('CANCEL', { REQID: 'LATER' })",
    );
    bank.guest("cics.file('ACCTFILE').write(record(20000002, 'Lost')); cics.abend('LOST')");
    let run = |program: &str, transid: &str| {
        bank.abend(&format!(
            "await cics.run({program}, {{ transid: '{transid}' }})"
        ))
    };
    assert_eq!(run("null", "GSTT"), "LOST");
    assert_eq!(
        bank.value("return inquire(20000002).RESULT_CODE !== 0"),
        true,
        "and what an abend leaves is backed out"
    );
    bank.guest("return call.commarea ? 'got ' + text : { BACK: call.channel.text('IN') + '!' }");
    assert_eq!(
        bank.value(
            "const { commarea } = await cics.run('GUEST', { commarea: 'x'.padEnd(8) });
             const { channel } = await cics.run('GUEST', { channel: { IN: 'y' } });
             return [String.fromCharCode(...commarea).trim(), channel.text('BACK')]"
        ),
        json!(["got x", "y!"]),
        "a separate task that begins with a script"
    );
    assert_eq!(
        bank.value(
            "try { await cics.run(null, { transid: 'OFFT' }) } catch (e) { return e.condition }"
        ),
        "PGMIDERR"
    );
    bank.is_well();
}

#[test]
fn a_script_that_hangs_under_a_program_is_ended_and_its_caller_with_it() {
    let bank = LinkedBank::start("[script]\nrunaway_ms = 200\n");
    for code in [
        "for (;;) {}",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
        "return [].reverse.call({ length: 2 ** 53 - 1 })",
    ] {
        bank.guest(code);
        for body in [
            "call('GUEST')",
            "await separately('GUEST')",
            "cics.link('GUEST')",
        ] {
            assert_eq!(bank.abend(body), "AICA", "{code} by {body}");
            bank.is_well();
        }
    }
    let bank =
        LinkedBank::start("[script]\ntimeout_ms = 4000\n[transactions.BINQ]\ntimeout_ms = 1500\n");
    for code in [
        "cics.delay(60000)",
        "await new Promise((r) => setTimeout(r, 60000))",
        "for (;;) cics.ts('CODE').read(1)",
        "for (;;) try { cics.delay(60000) } catch {}",
    ] {
        bank.guest(code);
        let separately =
            "await cics.run('CALLER', { transid: 'BINQ', commarea: 'GUEST'.padEnd(56) })";
        for body in ["call('GUEST')", separately, "cics.link('GUEST')"] {
            assert_eq!(bank.abend(body), "AEXY", "{code} by {body}");
            bank.is_well();
        }
    }
}
