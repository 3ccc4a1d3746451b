//! Settings of a Linux system: sysctl, routes and links.

mod link;
mod route;
pub mod rules;
mod sysctl;

pub use link::{IpLink, IpLinks};
pub use route::{IpRoute, IpRoutes};
pub use sysctl::{KernelSettings, SysctlValue};

use crate::document::{Document, DocumentSet};
use crate::kind::DocumentKind;

/// The content of a document of this area.
#[derive(Debug, Clone)]
pub enum LinuxContent {
    /// `sysctl -a` or sysctl.conf.
    Sysctl(KernelSettings),
    /// `ip route`.
    Routes(IpRoutes),
    /// `ip link` or `ip -d link`.
    Links(IpLinks),
}

/// The kinds of this area.
pub(crate) static KINDS: &[&DocumentKind] = &[&sysctl::KIND, &route::KIND, &link::KIND];

impl DocumentSet {
    /// Each set of kernel settings.
    pub fn sysctls(&self) -> impl Iterator<Item = (&Document, &KernelSettings)> {
        self.all.iter().filter_map(|d| match &d.content {
            crate::DocumentContent::Linux(LinuxContent::Sysctl(s)) => Some((d, s)),
            _ => None,
        })
    }

    /// Each route of Linux systems.
    pub fn ip_routes(&self) -> impl Iterator<Item = (&Document, &IpRoute)> {
        let each = self.all.iter().filter_map(|d| match &d.content {
            crate::DocumentContent::Linux(LinuxContent::Routes(r)) => Some((d, r)),
            _ => None,
        });
        each.flat_map(|(d, r)| r.routes.iter().map(move |route| (d, route)))
    }

    /// Each link of Linux systems.
    pub fn ip_links(&self) -> impl Iterator<Item = (&Document, &IpLink)> {
        let each = self.all.iter().filter_map(|d| match &d.content {
            crate::DocumentContent::Linux(LinuxContent::Links(l)) => Some((d, l)),
            _ => None,
        });
        each.flat_map(|(d, l)| l.links.iter().map(move |link| (d, link)))
    }
}
