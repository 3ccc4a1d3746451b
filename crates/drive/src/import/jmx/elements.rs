//! How each element of a plan is imported.

use super::tree::PlanElement;

/// The role of an element in the import.
pub(super) enum ElementRole {
    Plan,
    /// A thread group; the note names parts of its load that were not imported.
    Group(Option<&'static str>),
    /// An HTTP request.
    Sampler,
    /// A flow control action.
    Pause,
    /// Its children are imported; the note names parts that were not.
    Branch(Option<&'static str>),
    /// Configuration, a timer, a check or an extractor, which applies to the
    /// requests of its branch.
    Scoped,
    /// Left out, with a reason.
    Noted(&'static str),
    /// Left out without a reason.
    Foreign,
}

pub(super) fn role(element: &PlanElement) -> ElementRole {
    match element.kind.as_str() {
        "TestPlan" => ElementRole::Plan,
        "ThreadGroup" => ElementRole::Group(None),
        // Their requests prepare the run or clean up after it.
        "SetupThreadGroup" | "PostThreadGroup" => ElementRole::Foreign,
        "com.blazemeter.jmeter.threads.concurrency.ConcurrencyThreadGroup" => ElementRole::Group(
            Some("its level, ramp-up and hold time were imported; its steps became one ramp"),
        ),
        kind if kind.ends_with("ThreadGroup") => ElementRole::Group(Some(
            "its requests were imported, but of its load only the number of threads; check `clients` and `duration`",
        )),
        "HTTPSamplerProxy" | "HTTPSampler" | "HTTPSampler2" => ElementRole::Sampler,
        "TestAction" => ElementRole::Pause,
        "GenericController" | "RecordingController" | "LoopController" => ElementRole::Branch(None),
        "TransactionController" => ElementRole::Branch(Some(
            "its requests were imported; their total time is not reported",
        )),
        "CriticalSectionController" => ElementRole::Branch(Some(
            "its requests were imported; clients do not wait for each other",
        )),
        "OnceOnlyController" => {
            ElementRole::Branch(Some("its requests are sent in every iteration"))
        }
        "IfController"
        | "WhileController"
        | "ForeachController"
        | "RunTime"
        | "ThroughputController" => ElementRole::Branch(Some(
            "its condition was left out; its requests are sent once in every iteration",
        )),
        "SwitchController" | "RandomController" | "InterleaveControl" | "RandomOrderController" => {
            ElementRole::Branch(Some(
                "its choice was left out; all of its requests are sent in every iteration, in this order",
            ))
        }
        "com.blazemeter.jmeter.controller.ParallelSampler" => ElementRole::Branch(Some(
            "its requests were imported; a client sends them in sequence",
        )),
        // Run by module controllers only.
        "TestFragmentController" => ElementRole::Foreign,
        kind if kind.ends_with("Controller") && !element.children.is_empty() => {
            ElementRole::Branch(Some(
                "its requests were imported; its rule was left out, so all of them are sent in every iteration",
            ))
        }
        kind if SCOPED.contains(&kind) => ElementRole::Scoped,
        // The defaults of other protocols have the same tag.
        "ConfigTestElement" => {
            if element
                .properties
                .keys()
                .any(|k| k.starts_with("HTTPSampler."))
            {
                ElementRole::Scoped
            } else {
                ElementRole::Foreign
            }
        }
        "ResultCollector" | "Summariser" | "BackendListener" => {
            ElementRole::Noted("use --json, --csv, --hdr, --html and --listen for results")
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

/// Elements of a [`super::requests::Scope`], and those whose data were collected
/// before.
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
