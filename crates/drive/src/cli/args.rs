//! The command line of `tupelo drive`.

use super::CliError;
use crate::load::{HttpLoad, LoadError};
use crate::observe::ObservedServer;
use crate::plan::{ArrivalSpacing, RunPlan, ThinkTime};
use crate::scenario::{self, Scenario, ScenarioVariant};
use crate::scrape::MetricsEndpoint;
use crate::tls::TrustSettings;
use crate::units::{ns, parse_duration};
use crate::url::{Url, UrlError};
use measure::proc::CountedSubject;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Present controlled load and measure response times and server CPU
///
/// Examples:
///   tupelo drive http://127.0.0.1:8080/accounts/1 -c 50 -t 10s
///   tupelo drive http://127.0.0.1:8080/ --rate 2000 --process tupelo
///   tupelo drive --scenario checkout.toml --html report.html
///   tupelo drive knee http://127.0.0.1:8080/ --from 500 --to 20000
///   tupelo drive 'appc://127.0.0.1:2065/NET.SERVER?tp=INQUIRY' -c 8
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, verbatim_doc_comment)]
pub struct Args {
    /// A form other than a single run.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Prove with a built-in server that the report is correct during a stall,
    /// in runs of these lengths, from 3 to 90 seconds
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, value_delimiter = ',', default_missing_value = "10,20,60", value_parser = clap::value_parser!(u64).range(3..=90))]
    pub self_test: Option<Vec<u64>>,
    /// The load.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Servers whose resources are sampled.
    #[command(flatten)]
    pub observe: ObserveArgs,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Forms other than a single run.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Raise the load until it no longer meets the objectives, and find the knee
    Knee(KneeArgs),
    /// Run two targets alternately and test whether a difference is significant
    Compare(CompareArgs),
    /// Turn a browser's recording (.har) or a JMeter plan (.jmx) into a scenario
    Import(ImportArgs),
    /// Merge histogram logs of several machines into one report
    Merge(MergeArgs),
    /// Record a terminal session as a scenario, between an emulator and a server
    Record(RecordArgs),
    /// Print the JSON schema of scenario files, or their reference page
    Schema(SchemaArgs),
}

/// `tupelo drive knee`.
#[derive(Debug, clap::Args)]
#[command(
    mut_args(|a| hidden_of(a, &["hdr", "baseline", "tolerance"])),
    after_help = "Example:\n  tupelo drive knee http://127.0.0.1:8080/ --from 500 --objective 'p99<20ms'"
)]
pub struct KneeArgs {
    /// The load at each level; -t is the time measured at each.
    #[command(flatten)]
    pub load: LoadArgs,
    /// Raise the number of clients instead of the rate
    #[arg(long = "by-clients")]
    pub clients_mode: bool,
    /// The lowest load, requests/s or clients
    #[arg(long, default_value_t = 100.0)]
    pub from: f64,
    /// The highest load [default: double it until the objectives are missed]
    #[arg(long)]
    pub to: Option<f64>,
    /// Levels from --from to --to
    #[arg(long, default_value_t = 10)]
    pub steps: usize,
    /// Runs at each level
    #[arg(long, default_value_t = 3)]
    pub repeats: usize,
    /// Bisect until the limit is known to this many percent
    #[arg(long, default_value_t = 2.0)]
    pub precision: f64,
    /// Servers whose resources are sampled.
    #[command(flatten)]
    pub observe: ObserveArgs,
    /// Where results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `tupelo drive compare`.
#[derive(Debug, clap::Args)]
#[command(
    mut_args(|a| hidden_of(a, &["title", "csv", "hdr", "objectives", "baseline", "quiet"])),
    after_help = "Example:\n  tupelo drive compare http://127.0.0.1:8080/old http://127.0.0.1:8080/new -c 20 -t 10s"
)]
pub struct CompareArgs {
    /// A URL or a scenario file
    pub a: String,
    /// Another URL or scenario file
    pub b: String,
    /// Rounds; each runs both targets
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// The load of URLs.
    #[command(flatten)]
    pub how: HowArgs,
    /// Servers whose resources are sampled.
    #[command(flatten)]
    pub observe: ObserveArgs,
    /// Where results go; --tolerance is how much worse B may be.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `tupelo drive import`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo drive import session.har -o scenario.toml")]
pub struct ImportArgs {
    /// A .har or .jmx file
    pub file: PathBuf,
    /// Write the scenario here instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `tupelo drive record`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo drive record 127.0.0.1:3270 -o session.toml\n  c3270 127.0.0.1:3271\n\nThe file is complete after every key. Hidden fields are not recorded."
)]
pub struct RecordArgs {
    /// The TN3270 server, host or host:port
    pub server: String,
    /// The address for the emulator
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:3271")]
    pub listen: SocketAddr,
    /// Write the scenario here
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// The EBCDIC code page of the terminals
    #[arg(long, value_name = "PAGE", default_value = "037")]
    pub code_page: String,
}

/// `tupelo drive merge`.
#[derive(Debug, clap::Args)]
#[command(
    mut_args(|a| hidden_of(a, &["title", "listen", "quiet"])),
    after_help = "Example:\n  tupelo drive merge worker-1.hlog worker-2.hlog --html report.html"
)]
pub struct MergeArgs {
    /// Logs written with --hdr
    #[arg(required = true)]
    pub logs: Vec<PathBuf>,
    /// Where the result goes.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `tupelo drive schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo drive schema > scenario.schema.json")]
pub struct SchemaArgs {
    /// The reference page in Markdown instead of the JSON schema
    #[arg(long)]
    pub markdown: bool,
}

/// The load: a scenario, or one request.
#[derive(Debug, Clone, clap::Args)]
pub struct LoadArgs {
    /// Where to send requests: http://host:port/path, https://… or
    /// appc://host:port/NET.LU?tp=PROGRAM&mode=MODE
    pub url: Option<String>,
    /// A scenario file instead of a URL; -t, --warmup, --threads, --seed and
    /// --start-at override its settings
    #[arg(short, long, value_name = "FILE", conflicts_with = "url")]
    pub scenario: Option<PathBuf>,
    /// How the load is presented.
    #[command(flatten)]
    pub how: HowArgs,
}

/// One request and how it is presented.
#[derive(Debug, Clone, clap::Args)]
pub struct HowArgs {
    /// Clients; with --rate, the most requests outstanding at once
    /// [default: 1; with --rate 1000, opened as
    /// needed, or 64 over HTTP/2 and APPC, where the partner's sessions bound it]
    #[arg(short, long)]
    pub clients: Option<usize>,
    /// Length of the measured part [default: 10s, or the scenario's]
    #[arg(short = 't', long, value_parser = parse_duration)]
    pub duration: Option<Duration>,
    /// Length of the warm-up [default: 1s, or the scenario's]
    #[arg(long, value_parser = parse_duration)]
    pub warmup: Option<Duration>,
    /// Requests/s, independently of the answers
    #[arg(short, long)]
    pub rate: Option<f64>,
    /// Random (Poisson) arrivals instead of evenly spaced ones
    #[arg(long)]
    pub poisson: bool,
    /// Each client's pause after an answer: 500ms, or exp:500ms
    #[arg(long, value_parser = parse_think, conflicts_with = "rate")]
    pub think: Option<ThinkTime>,
    /// End after this many requests instead of a time
    #[arg(short = 'n', long, conflicts_with = "rate")]
    pub iterations: Option<u64>,
    /// The method [default: GET; POST with a body]
    #[arg(short = 'X', long)]
    pub method: Option<String>,
    /// A header, as "Name: value"; may be repeated
    #[arg(short = 'H', long = "header", value_name = "HEADER")]
    pub headers: Vec<String>,
    /// The body, or @FILE
    #[arg(short = 'd', long)]
    pub body: Option<String>,
    /// Number of driver threads [default: as many as the load needs]
    #[arg(long)]
    pub threads: Option<usize>,
    /// A new connection for each request, or a new conversation for each
    /// iteration
    #[arg(long)]
    pub no_keepalive: bool,
    /// Use HTTP/2, one connection for each client
    #[arg(long)]
    pub http2: bool,
    /// A PEM file with certificates to trust instead of the system's: those of
    /// issuers or of the server itself
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
    /// Accept any certificate
    #[arg(short = 'k', long)]
    pub insecure: bool,
    /// A local address to connect from; may be repeated
    #[arg(long = "source", value_name = "ADDRESS")]
    pub sources: Vec<IpAddr>,
    /// A request without an answer after this time has failed [default: 30s]
    #[arg(long, value_parser = parse_duration)]
    pub timeout: Option<Duration>,
    /// Accept a status of 400 and above
    #[arg(long)]
    pub any_status: bool,
    /// Spin this long before each arrival [default: 50us for a constant rate, but
    /// at most an eighth of the time between two. None for --poisson]
    #[arg(long, value_parser = parse_duration)]
    pub spin: Option<Duration>,
    /// Seed of random arrivals, pauses and data [default: 1]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Begin at this time (seconds since 1970), for several machines at once
    #[arg(long, value_name = "SECONDS", value_parser = parse_instant)]
    pub start_at: Option<f64>,
}

/// Servers whose resources are sampled during the run.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct ObserveArgs {
    /// CPU of this process and its children; may be repeated
    #[arg(long = "pid", value_name = "PID")]
    pub pids: Vec<u32>,
    /// CPU of all processes of this name, or of the one with this id and its
    /// children; may be repeated
    #[arg(long = "process", value_name = "NAME|PID")]
    pub names: Vec<String>,
    /// CPU of a control group, by its folder; may be repeated
    #[arg(long = "cgroup", value_name = "FOLDER")]
    pub groups: Vec<PathBuf>,
    /// CPU from a Prometheus endpoint; may be repeated
    #[arg(long = "scrape", value_name = "URL")]
    pub endpoints: Vec<String>,
}

/// Where results go.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct OutputArgs {
    /// The title of the report [default: the URL, or the scenario's]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
    /// Write figures over time as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write an HdrHistogram log
    #[arg(long, value_name = "FILE")]
    pub hdr: Option<PathBuf>,
    /// Write the report as one HTML page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Serve figures for Prometheus during the run
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
    /// No live view
    #[arg(short, long)]
    pub quiet: bool,
    /// Exit with 1 if this is not met: "p99<20ms", "errors<=0.1%",
    /// "throughput>900/s", "cpu<50us"; may be repeated
    #[arg(long = "objective", value_name = "OBJECTIVE")]
    pub objectives: Vec<String>,
    /// Exit with 1 if slower than this stored JSON report
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Accepted slowdown against the baseline, in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 10.0)]
    pub tolerance: f64,
}

/// Hides options from the help of a command that does not use them. If they are
/// given anyway, the command reports an error.
fn hidden_of(arg: clap::Arg, unused: &[&str]) -> clap::Arg {
    let unused = unused.contains(&arg.get_id().as_str());
    if unused { arg.hide(true) } else { arg }
}

/// A start time further ahead is an error of the unit, in seconds.
const FARTHEST_START_S: f64 = 7.0 * 86_400.0;

/// Parses seconds since 1970 and rejects times far ahead.
fn parse_instant(text: &str) -> Result<f64, String> {
    let at: Option<f64> = text.parse().ok();
    let at = at.filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    let at = at.ok_or("expected seconds since 1970, as `date +%s` prints them")?;
    let ahead = at - crate::clock::wall() as f64 / 1e9;
    if ahead > FARTHEST_START_S {
        Err(format!(
            "{:.0} days from now; expected seconds since 1970, not milliseconds",
            ahead / 86_400.0
        ))
    } else {
        Ok(at)
    }
}

fn parse_think(text: &str) -> Result<ThinkTime, String> {
    match text.strip_prefix("exp:") {
        Some(mean) => Ok(ThinkTime::Exponential(ns(parse_duration(mean)?) as f64)),
        None => Ok(ThinkTime::Constant(ns(parse_duration(text)?))),
    }
}

impl LoadArgs {
    /// The one-line form as a load.
    pub fn http(&self) -> Result<HttpLoad, CliError> {
        let url = self.url.as_deref();
        let url = url.ok_or_else(|| CliError::Usage("give a URL or --scenario FILE".into()))?;
        let mut load = HttpLoad::new(url);
        load.body = match self.how.body.as_deref().map(|b| (b, b.strip_prefix('@'))) {
            None => Vec::new(),
            Some((_, Some(file))) => {
                std::fs::read(file).map_err(|e| CliError::Failed(format!("{file}: {e}")))?
            }
            Some((text, None)) => text.as_bytes().to_vec(),
        };
        let usual = if self.how.body.is_some() {
            "POST"
        } else {
            "GET"
        };
        load.method = self.how.method.clone().unwrap_or_else(|| usual.into());
        for header in &self.how.headers {
            let (name, value) = header
                .split_once(':')
                .ok_or_else(|| CliError::Usage(format!("`{header}` is not `Name: value`")))?;
            load.headers.push((name.trim().into(), value.trim().into()));
        }
        if self.how.rate.is_some_and(|r| !(r > 0.0 && r <= 1e7)) {
            return Err(CliError::Usage(
                "--rate must be between 0 and 10,000,000".into(),
            ));
        }
        load.rate = self.how.rate;
        if self.how.poisson && self.how.rate.is_none() {
            return Err(CliError::Usage("--poisson needs --rate".into()));
        }
        if self.how.poisson {
            load.arrivals = ArrivalSpacing::Poisson;
        }
        // If the user sets the bound, as many connections are opened before
        // the run.
        load.ahead = self.how.clients;
        let converses = url.starts_with("appc://");
        if converses {
            let foreign = self.how.foreign_to_conversations();
            if let Some(name) = foreign.first() {
                return Err(CliError::Usage(format!(
                    "{name} cannot be used with appc://"
                )));
            }
        }
        let usual = match (self.how.rate, self.how.http2 || converses) {
            (None, _) => 1,
            (Some(_), true) => 64,
            (Some(_), false) => 1000,
        };
        load.clients = self.how.clients.unwrap_or(usual);
        if load.clients == 0 || load.clients > MOST_CLIENTS {
            return Err(CliError::Usage(format!(
                "--clients must be between 1 and {MOST_CLIENTS}"
            )));
        }
        load.think = self.how.think.clone().unwrap_or(ThinkTime::None);
        load.iterations = self.how.iterations;
        if load.iterations == Some(0) {
            return Err(CliError::Usage("--iterations must be above 0".into()));
        }
        load.warmup = self.how.warmup.unwrap_or(load.warmup);
        load.duration = self.how.duration.unwrap_or(load.duration);
        if load.duration.is_zero() && load.iterations.is_none() {
            return Err(CliError::Usage("--duration must be above 0".into()));
        }
        load.threads = self.how.threads.unwrap_or(0);
        load.keep_alive = !self.how.no_keepalive;
        load.http2 = self.how.http2;
        load.trust = TrustSettings {
            ca_file: self.how.cacert.clone(),
            insecure: self.how.insecure,
        };
        load.sources.clone_from(&self.how.sources);
        load.timeout = self.how.timeout.unwrap_or(load.timeout);
        load.any_status = self.how.any_status;
        load.spin = self.how.spin;
        load.seed = self.how.seed.unwrap_or(load.seed);
        load.start_at = self.how.start_at.map(|s| (s.max(0.0) * 1e9) as u64);
        Ok(load)
    }
}

impl LoadArgs {
    /// The one-line form as an open loop of this rate.
    pub fn as_rate(&self, rate: f64) -> LoadArgs {
        let mut open = self.clone();
        open.how.rate = Some(rate);
        open.how.think = None;
        open.how.iterations = None;
        open
    }

    /// The scenario file, or the one-line form as a scenario with one plan.
    /// `observing` says whether the command line names servers to observe.
    pub fn scenario(&self, observing: bool) -> Result<Scenario, CliError> {
        let Some(path) = &self.scenario else {
            let plan = self.http()?.plan().map_err(|error| match error {
                LoadError::Url(UrlError::Resolve(..)) => CliError::Failed(error.to_string()),
                LoadError::Url(UrlError::Scheme) => {
                    let file = "to run a scenario file, use --scenario FILE";
                    CliError::Usage(format!("{error}; {file}"))
                }
                LoadError::Url(_) | LoadError::Raw | LoadError::Appc(_) | LoadError::Text(_) => {
                    CliError::Usage(error.to_string())
                }
                other => CliError::Failed(other.to_string()),
            })?;
            let variants = vec![ScenarioVariant {
                name: String::new(),
                values: Vec::new(),
                plan,
            }];
            return Ok(Scenario {
                variants,
                objectives: Vec::new(),
                observed: Vec::new(),
            });
        };
        let foreign = self.how.foreign_to_scenarios();
        if !foreign.is_empty() {
            return Err(CliError::Usage(format!(
                "{} cannot be combined with --scenario; set it in the file",
                foreign.join(", ")
            )));
        }
        let name = path.display();
        let text =
            std::fs::read_to_string(path).map_err(|e| CliError::Failed(format!("{name}: {e}")))?;
        let folder = path.parent().unwrap_or_else(|| Path::new("."));
        let mut scenario =
            scenario::read_observing(&text, folder, observing).map_err(|mut mistakes| {
                let lines: Vec<&str> = text.lines().collect();
                let shown = |mistake: &mut base::Diagnostic| {
                    mistake.severity = base::Severity::Error;
                    let line = (mistake.line as usize).checked_sub(1);
                    let line = line.and_then(|line| lines.get(line).copied());
                    base::excerpt(mistake, path, line, false)
                };
                let plural = if mistakes.len() == 1 { "" } else { "s" };
                let shown: String = mistakes.iter_mut().map(shown).collect();
                let count = mistakes.len();
                CliError::Failed(format!("{count} mistake{plural}\n{}", shown.trim_end()))
            })?;
        for variant in &mut scenario.variants {
            self.how.adjust(&mut variant.plan);
        }
        Ok(scenario)
    }
}

impl HowArgs {
    /// The given options that cannot be used with conversations.
    fn foreign_to_conversations(&self) -> Vec<&'static str> {
        let given = [
            ("--method", self.method.is_some()),
            ("--header", !self.headers.is_empty()),
            ("--http2", self.http2),
            ("--cacert", self.cacert.is_some()),
            ("--insecure", self.insecure),
            ("--any-status", self.any_status),
            ("--spin", self.spin.is_some()),
        ];
        let given = given.into_iter().filter(|g| g.1);
        given.map(|g| g.0).collect()
    }

    /// The load options that were given.
    pub(super) fn given(&self) -> Vec<&'static str> {
        let mut given = self.foreign_to_scenarios();
        let others = [
            ("--duration", self.duration.is_some()),
            ("--warmup", self.warmup.is_some()),
            ("--threads", self.threads.is_some()),
            ("--seed", self.seed.is_some()),
            ("--start-at", self.start_at.is_some()),
        ];
        given.extend(others.into_iter().filter(|g| g.1).map(|g| g.0));
        given
    }

    fn foreign_to_scenarios(&self) -> Vec<&'static str> {
        let given = [
            ("--clients", self.clients.is_some()),
            ("--rate", self.rate.is_some()),
            ("--poisson", self.poisson),
            ("--think", self.think.is_some()),
            ("--iterations", self.iterations.is_some()),
            ("--method", self.method.is_some()),
            ("--header", !self.headers.is_empty()),
            ("--body", self.body.is_some()),
            ("--no-keepalive", self.no_keepalive),
            ("--http2", self.http2),
            ("--cacert", self.cacert.is_some()),
            ("--insecure", self.insecure),
            ("--source", !self.sources.is_empty()),
            ("--timeout", self.timeout.is_some()),
            ("--any-status", self.any_status),
            ("--spin", self.spin.is_some()),
        ];
        let given = given.into_iter().filter(|g| g.1);
        given.map(|g| g.0).collect()
    }

    /// Applies the command line to a scenario's plan.
    fn adjust(&self, plan: &mut RunPlan) {
        plan.start_at = self.start_at.map(|s| (s.max(0.0) * 1e9) as u64);
        plan.duration_ns = self.duration.map(ns).or(plan.duration_ns);
        plan.warmup_ns = self.warmup.map_or(plan.warmup_ns, ns);
        plan.threads = self.threads.filter(|n| *n > 0).unwrap_or(plan.threads);
        plan.seed = self.seed.unwrap_or(plan.seed);
    }
}

impl ObserveArgs {
    /// Everything to sample, including the servers of the scenario. Each is
    /// read once, and all errors are returned together.
    pub fn observed(&self, asked: Vec<ObservedServer>) -> Result<Vec<ObservedServer>, CliError> {
        let pids = self.pids.iter().map(|p| CountedSubject::Process(*p));
        let names = self.names.iter().map(|n| CountedSubject::called(n));
        let groups = self.groups.iter().map(|g| CountedSubject::Group(g.clone()));
        let local = pids.chain(names).chain(groups).map(ObservedServer::Local);
        let mut all = asked;
        all.extend(local);
        let mut wrong = Vec::new();
        for url in &self.endpoints {
            match Url::parse(url) {
                Ok(url) => all.push(ObservedServer::Remote(MetricsEndpoint(url))),
                Err(error) => wrong.push(format!("{url}: {error}")),
            }
        }
        let unreadable = all
            .iter()
            .filter_map(|o| Some(format!("{}: {}", o.name(), o.usage().err()?)));
        let unreadable: Vec<String> = unreadable.collect();
        let all_read = unreadable.is_empty();
        wrong.extend(unreadable);
        match (wrong.is_empty(), all_read) {
            (true, _) => Ok(all),
            (false, true) => Err(CliError::Usage(wrong.join("\n       "))),
            (false, false) => Err(CliError::Failed(wrong.join("\n       "))),
        }
    }

    /// Whether any server is given.
    pub fn any(&self) -> bool {
        let ObserveArgs {
            pids,
            names,
            groups,
            endpoints,
        } = self;
        !(pids.is_empty() && names.is_empty() && groups.is_empty() && endpoints.is_empty())
    }
}

/// More clients than one process can have.
const MOST_CLIENTS: usize = 1_000_000;
