//! The options that the APPC commands share: the local node and its modes, and the
//! partner to call.

use appc::config::{DlswConnections, PartnerConfig};
use appc::{AppcConfig, AllocateRequest, AppcSection, own_name};
use clap::builder::NonEmptyStringValueParser;
use miette::{Context, IntoDiagnostic, Result, bail};
use std::path::PathBuf;

/// The local node.
#[derive(clap::Args, Debug, Clone)]
pub struct NodeArgs {
    /// A TOML file whose [appc] section describes the node; options take precedence
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// This node's logical unit, NET.NAME [default: that of the configuration;
    /// TUPELO.SERVER for a server, a name of its own for each client]
    #[arg(long, value_name = "NET.LU")]
    pub lu: Option<String>,
    /// RU size of the mode used, in bytes
    #[arg(long, value_name = "BYTES")]
    pub ru: Option<usize>,
    /// Pacing window of the mode used, in RUs (0: no pacing)
    #[arg(long, value_name = "RUS")]
    pub pacing: Option<u8>,
    /// Largest frame (TH, RH and RU) that this node receives, in bytes
    #[arg(long, value_name = "BYTES")]
    pub max_btu: Option<u16>,
    /// TCP connections of a DLSw partner that this node calls: one, two (one
    /// each way) or two-then-one
    #[arg(long, value_name = "MANNER")]
    pub tcp_connections: Option<DlswConnections>,
    /// An Ethernet interface for 802.2 links (needs CAP_NET_RAW)
    #[arg(long, value_name = "NAME")]
    pub interface: Option<String>,
    /// Write a capture of everything sent and received (pcapng, for tshark)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
}

/// The partner, and the user that is sent to it.
#[derive(clap::Args, Debug, Clone)]
pub struct PartnerArgs {
    /// The partner's logical unit, NET.LU, or a symbolic destination of the
    /// configuration
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    destination: String,
    /// Its DLSw switch, host[:port]
    #[arg(long, value_name = "HOST:PORT")]
    at: Option<String>,
    /// Mode name [default: that of the symbolic destination, or one that suits]
    #[arg(short, long)]
    mode: Option<String>,
    /// No security, whatever the configuration says
    #[arg(short = 'n', long, conflicts_with_all = ["user", "password"])]
    no_security: bool,
    /// User to send; without a password, as already verified
    #[arg(short, long)]
    user: Option<String>,
    /// The user's password
    #[arg(short, long, requires = "user")]
    password: Option<String>,
    #[command(flatten)]
    node: NodeArgs,
}

impl PartnerArgs {
    /// The node that calls, and the request for a conversation with the program `tp`, under
    /// the mode `mode` unless an option or destination names another. A node without a name
    /// gets a unique one that begins with `letter`.
    pub fn call(&self, letter: char, tp: &str, mode: &str) -> Result<(AppcConfig, AllocateRequest)> {
        let (mut config, named) = self.node.file()?;
        if !named {
            config.lu = own_name(letter);
        }
        let side = config.side_information.get(&self.destination);
        let (partner, of_side) = match side {
            Some(side) => (side.partner.to_uppercase(), Some(side.mode.clone())),
            None if self.destination.contains('.') => (self.destination.to_uppercase(), None),
            None => {
                bail!(
                    "the partner {} is not known: write NET.LU, or define [appc.side-information.{0}] in a --config file",
                    self.destination
                );
            }
        };
        let mode = self.mode.clone().or(of_side).unwrap_or_else(|| mode.to_owned());
        self.node.adjust(&mut config, &mode)?;
        if config.lu.eq_ignore_ascii_case(&partner) {
            bail!(
                "this node and its partner are both called {partner}; give this node another \
                 name with --lu"
            );
        }
        reach(&mut config, &partner, self.at.as_deref())?;
        let mut call = AllocateRequest::new(&partner, tp).with_mode(&mode);
        call.user = if self.no_security {
            None
        } else {
            self.user.clone().map(|user| (user, self.password.clone()))
        };
        Ok((config, call))
    }
}

impl NodeArgs {
    /// The configuration of file and options. `default_lu` names the node without a file;
    /// `mode` is the mode that the options change.
    pub fn configuration(&self, default_lu: &str, mode: &str) -> Result<AppcConfig> {
        let (mut config, _) = self.file()?;
        if self.config.is_none() {
            config.lu = default_lu.to_owned();
        }
        self.adjust(&mut config, mode)?;
        Ok(config)
    }

    /// The configuration of the file, and whether it names the node.
    fn file(&self) -> Result<(AppcConfig, bool)> {
        let Some(path) = &self.config else {
            return Ok((AppcConfig::default(), false));
        };
        let text = AppcSection::text(path)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot read {}", path.display()))?;
        let section = AppcSection::parse(&text)
            .into_diagnostic()
            .wrap_err_with(|| format!("in {}", path.display()))?;
        Ok((section.config, section.named))
    }

    /// Applies the options to the configuration.
    fn adjust(&self, config: &mut AppcConfig, mode: &str) -> Result<()> {
        if let Some(lu) = &self.lu {
            config.lu = lu.to_uppercase();
        }
        known(config, mode)?;
        config.tune(mode, self.ru, self.pacing);
        config.max_btu_bytes = self.max_btu.unwrap_or(config.max_btu_bytes);
        config.tcp_connections = self.tcp_connections.unwrap_or(config.tcp_connections);
        config.interface = self.interface.clone().or(config.interface.take());
        config.trace = self.trace.clone().or(config.trace.take());
        config.validate().into_diagnostic()
    }
}

/// Checks that the mode exists: options change modes but do not make them.
fn known(config: &AppcConfig, mode: &str) -> Result<()> {
    let table = config.mode_table().into_diagnostic()?;
    let parsed = mode.parse::<sna::ModeName>();
    if parsed.is_ok_and(|name| table.get(&name).is_some()) {
        return Ok(());
    }
    let names = table.iter().filter(|mode| !mode.is_service());
    let names: Vec<String> = names
        .map(|mode| mode.name.to_string())
        .filter(|name| !name.is_empty())
        .collect();
    bail!(
        "there is no mode {mode}; expected one of {}. [appc.modes.\"{mode}\"] in a --config file \
         defines one",
        names.join(", ")
    );
}

/// Checks that `config` has an address for `partner`; `at` overrides it.
fn reach(config: &mut AppcConfig, partner: &str, at: Option<&str>) -> Result<()> {
    let ethernet = config.interface.is_some();
    let entry = config.partners.entry(partner.to_owned()).or_insert_with(|| PartnerConfig {
        ethernet,
        ..PartnerConfig::default()
    });
    if let Some(at) = at {
        entry.address = Some(at.to_owned());
        entry.ethernet = false;
    }
    if entry.address.is_none() && !entry.ethernet {
        bail!("the address of {partner} is not known: give --at host[:port], or its address in the [appc] section");
    }
    Ok(())
}
