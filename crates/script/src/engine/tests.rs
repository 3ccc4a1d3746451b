//! Tests of `engine`, on small inputs of their own.

use super::*;
use crate::fiber::{Fiber, FiberExit, FiberStack};
use crate::host::{Fault, LogLevel, ProgramInput, ProgramOutput, TaskAttributes};
use crate::records::CopybookLibrary;

/// A host whose methods are never called.
struct UnusedHost;

impl ScriptHost for UnusedHost {
    fn facts(&self) -> TaskAttributes {
        TaskAttributes::default()
    }
    fn link(&mut self, _: &str, _: ProgramInput<'_>) -> Result<ProgramOutput, Fault> {
        Ok(ProgramOutput::default())
    }
    fn may_go_over(&self, _: &str, _: ProgramInput<'_>) -> Result<(), Fault> {
        Ok(())
    }
    fn call(
        &mut self,
        _: link::CallOperation,
        _: [u64; 8],
        _: Vec<u8>,
    ) -> Result<link::CallAnswer, Fault> {
        Ok(link::CallAnswer::default())
    }
    fn file(&self, _: &str) -> Option<usize> {
        None
    }
    fn spawn(
        &mut self,
        _: u32,
        _: Option<&str>,
        _: &str,
        _: ProgramInput<'_>,
    ) -> Result<(), Fault> {
        Ok(())
    }
    fn fetch(&mut self, _: u32, _: fetch::Request) -> Result<(), String> {
        Ok(())
    }
    fn wait(&mut self, _: Option<std::time::Instant>) -> Option<(u32, HostEvent)> {
        None
    }
    fn send(&mut self, _: ScriptAnswer) -> bool {
        true
    }
    fn finish(
        self: Box<Self>,
        _: Result<&mut ScriptAnswer, &AbendInfo>,
        _: u64,
    ) -> Result<(), AbendInfo> {
        Ok(())
    }
    fn log(&self, _: LogLevel, _: &str, _: Option<&str>) {}
}

fn on<R: 'static>(stack: FiberStack, run: impl FnOnce() -> R + 'static) -> (R, FiberStack) {
    match region::block_on(Fiber::new(stack, run)) {
        FiberExit::Returned(result, stack) => (result, stack),
        FiberExit::Left => panic!("it was left"),
    }
}

#[test]
fn a_script_may_be_loaded_on_one_stack_and_served_on_others() {
    let limits = Limits::default();
    let text = "export const GET = ({ path }) => { const f = () => f() + 1; return path === '/deep' ? f() : 'ok' }";
    let sources = ModuleSources::of([("a.js".to_owned(), text.to_owned())]);
    let sources = Arc::new(sources);
    let library = CopybookLibrary::new(Vec::new(), copybook::CodePage::ascii());
    let stacks = (0..4).map(|_| FiberStack::new(limits.stack_bytes + (512 << 10)).unwrap());
    let mut stacks: Vec<FiberStack> = stacks.collect();
    let load = move || {
        let records = EngineRecords::new(Arc::new(library));
        ScriptEngine::load(&sources, "a.js", limits, records).unwrap()
    };
    // Between the others, whichever way the system gives them.
    let (mut engine, stack) = on(stacks.swap_remove(1), load);
    stacks.push(stack);
    for _ in 0..2 * stacks.len() {
        for (path, wanted) in [("/", "ok"), ("/deep", "AJSS")] {
            let run = move || {
                let request = Request {
                    method: "GET".into(),
                    path: path.into(),
                    ..Request::default()
                };
                let (result, _) = engine.serve(request, Box::new(UnusedHost), Arc::default());
                (result, engine)
            };
            let ((result, same), stack) = on(stacks.remove(0), run);
            engine = same;
            stacks.push(stack);
            let reported = match result {
                Ok(answer) => String::from_utf8(answer.body).unwrap(),
                Err(failure) => failure.abend.code,
            };
            assert_eq!(reported, wanted, "{path}");
        }
        stacks.rotate_left(1);
    }
}
