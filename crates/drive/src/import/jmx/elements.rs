//! What each element of a plan is to an import.

use super::tree::PlanElement;

/// What an element is.
pub(super) enum ElementRole {
    Plan,
    /// A thread group; a note says what of its load was not taken over.
    Group(Option<&'static str>),
    /// An HTTP request.
    Sampler,
    /// A flow control action.
    Pause,
    /// Its children are taken over; a note says what was not.
    Branch(Option<&'static str>),
    /// Configuration, a timer, a check or an extractor: it holds for the
    /// requests of its branch.
    Scoped,
    /// Left out for a reason that can be told.
    Noted(&'static str),
    /// Left out.
    Foreign,
}

pub(super) fn role(element: &PlanElement) -> ElementRole {
    match element.kind.as_str() {
        "TestPlan" => ElementRole::Plan,
        "ThreadGroup" => ElementRole::Group(None),
        // Their requests prepare the run or clean up after it.
        "SetupThreadGroup" | "PostThreadGroup" => ElementRole::Foreign,
        "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup" => ElementRole::Group(
            Some("its level, ramp-up and hold time were taken over; its steps became one ramp"),
        ),
        kind if kind.ends_with("ThreadGroup") => ElementRole::Group(Some(
            "its requests are taken over; of its load only the number of threads is, so compare `clients` and `duration`",
        )),
        "HTTPSamplerProxy" | "HTTPSampler" | "HTTPSampler2" => ElementRole::Sampler,
        "TestAction" => ElementRole::Pause,
        "GenericController" | "RecordingController" | "LoopController" => ElementRole::Branch(None),
        "TransactionController" => ElementRole::Branch(Some(
            "its requests are taken over; the time of all of them together is not reported",
        )),
        "CriticalSectionController" => ElementRole::Branch(Some(
            "its requests are taken over; clients do not wait for each other",
        )),
        "OnceOnlyController" => ElementRole::Branch(Some("its requests come in every iteration")),
        "IfController"
        | "WhileController"
        | "ForeachController"
        | "RunTime"
        | "ThroughputController" => ElementRole::Branch(Some(
            "its condition was left out; its requests come once in every iteration",
        )),
        "SwitchController" | "RandomController" | "InterleaveControl" | "RandomOrderController" => {
            ElementRole::Branch(Some(
                "its choice was left out; all of its requests come in every iteration, in this order",
            ))
        }
        "com.blazemeter.jmeter.controller.ParallelSampler" => ElementRole::Branch(Some(
            "its requests are taken over; a client sends them one after another",
        )),
        // Run by module controllers only, wherever those are.
        "TestFragmentController" => ElementRole::Foreign,
        kind if kind.ends_with("Controller") && !element.children.is_empty() => {
            ElementRole::Branch(Some(
                "its requests are taken over; its rule was left out, so all of them come in every iteration",
            ))
        }
        kind if SCOPED.contains(&kind) => ElementRole::Scoped,
        // Defaults of other protocols have the same tag.
        "ConfigTestElement" => {
            match element
                .properties
                .keys()
                .any(|k| k.starts_with("HTTPSampler."))
            {
                true => ElementRole::Scoped,
                false => ElementRole::Foreign,
            }
        }
        "ResultCollector" | "Summariser" | "BackendListener" => {
            ElementRole::Noted("results go where --json, --csv, --hdr, --html and --listen say")
        }
        "CacheManager" => ElementRole::Noted("nothing is cached; every request is sent"),
        "DNSCacheManager" => ElementRole::Noted("names are resolved once, before the run"),
        "AuthManager" => ElementRole::Noted("was left out; send an Authorization header"),
        "DurationAssertion" => {
            ElementRole::Noted("was left out; ask for it with --objective, for example 'p99<500ms'")
        }
        "KeystoreConfig" => {
            ElementRole::Noted("was left out; the driver shows no certificate of its own")
        }
        _ => ElementRole::Foreign,
    }
}

/// Elements that a [`super::requests::Scope`] heeds, and those whose data were
/// collected before.
const SCOPED: &[&str] = &[
    "Arguments",
    "CSVDataSet",
    "CounterConfig",
    "RandomVariableConfig",
    "HeaderManager",
    "CookieManager",
    "ConstantTimer",
    "UniformRandomTimer",
    "GaussianRandomTimer",
    "PoissonRandomTimer",
    "ConstantThroughputTimer",
    "PreciseThroughputTimer",
    "ResponseAssertion",
    "SizeAssertion",
    "RegexExtractor",
    "JSONPostProcessor",
    "BoundaryExtractor",
];
