//! The identification that this node sends a partner when a link comes up, and
//! the decisions on the partner's answer.

use sna::dlc::xid3::{Exchange, StationRole, Xid3, XidAgreement, XidError, XidNegotiation};
use sna::wire::Sense;
use sna::{LinkConfig, LinkId, LinkRole, LuName};

use super::TransportContext;
use super::names::NameClaim;
use crate::config::DlswConnections;

/// This node's data for partners.
#[derive(Debug, Clone)]
pub(crate) struct LocalNode {
    pub lu: LuName,
    pub mac: [u8; 6],
    pub id_block: u16,
    pub id_number: u32,
    pub max_btu_bytes: u16,
    pub circuit_window: u16,
    pub setup_ns: u64,
    pub connections: DlswConnections,
}

/// One link, being activated or active.
#[derive(Debug)]
pub(crate) struct LinkSide {
    pub negotiation: XidNegotiation,
    pub agreed: Option<XidAgreement>,
    pub link: Option<LinkId>,
    /// The partner that this side calls, and the number of the host's request.
    pub partner: Option<LuName>,
    pub call: Option<u64>,
    /// This node.
    lu: LuName,
    /// The partner's address, for messages and as the owner of its name.
    place: String,
    /// The name that it claims.
    claimed: Option<LuName>,
    /// The steps to take when the claim is granted.
    held: Option<(Option<Vec<u8>>, XidAgreement)>,
}

/// The decision on a partner whose identification is known.
#[derive(Debug)]
pub(crate) enum PartnerAdmission {
    /// Admitted; this XID is sent to it first.
    Admitted(Option<Vec<u8>>),
    /// Its name is contested: it waits.
    Waits,
    /// The link is rejected: this XID informs the partner, with the reason.
    Refused(Option<Vec<u8>>, String),
}

impl LinkSide {
    pub fn new(
        local: &LocalNode,
        max_btu_bytes: u16,
        place: String,
        partner: Option<LuName>,
        call: Option<u64>,
    ) -> LinkSide {
        let ours = Xid3 {
            id_block: local.id_block,
            id_number: local.id_number,
            exchange: Exchange::Prenegotiation,
            segments_binds: true,
            receives_segmented_binds: true,
            adaptive_bind_pacing: false,
            role: StationRole::Negotiable,
            max_btu_bytes: local.max_btu_bytes.min(max_btu_bytes),
            window: 7,
            cp_name: local.lu.as_str().to_owned(),
        };
        LinkSide {
            negotiation: XidNegotiation::new(ours),
            agreed: None,
            link: None,
            partner,
            call,
            lu: local.lu.clone(),
            place,
            claimed: None,
            held: None,
        }
    }

    /// Both sides' identifications are known, and `xid` is to be sent.
    pub fn admit(
        &mut self,
        around: &mut TransportContext<'_>,
        xid: Option<Vec<u8>>,
        agreed: XidAgreement,
    ) -> PartnerAdmission {
        let name = agreed.peer.cp_name.parse::<LuName>();
        let (None, None, Ok(name)) = (self.call, &self.claimed, name) else {
            self.agreed = Some(agreed);
            return PartnerAdmission::Admitted(xid);
        };
        let claim = around.names.claim(&name, &self.place);
        self.claimed = Some(name);
        self.held = Some((xid, agreed));
        self.settle(around, claim)
    }

    /// Whether the link side waits until its name is decided.
    pub fn waits(&self) -> bool {
        self.held.is_some()
    }

    /// The decision on a waiting partner.
    pub fn poll_admission(&mut self, around: &mut TransportContext<'_>) -> PartnerAdmission {
        let Some(name) = self.claimed.as_ref().filter(|_| self.held.is_some()) else {
            return PartnerAdmission::Waits;
        };
        let claim = around.names.claim_result(name, &self.place);
        self.settle(around, claim)
    }

    fn settle(&mut self, around: &mut TransportContext<'_>, claim: NameClaim) -> PartnerAdmission {
        match claim {
            NameClaim::Waits => PartnerAdmission::Waits,
            NameClaim::Granted => {
                let held = self.held.take();
                let (xid, agreed) = held.map_or((None, None), |(xid, agreed)| (xid, Some(agreed)));
                self.agreed = agreed;
                PartnerAdmission::Admitted(xid)
            }
            NameClaim::Refused(holder) => {
                self.held = None;
                let name = self.claimed.take();
                let name = name.map_or_else(String::new, |name| name.to_string());
                let sense = Sense::TG_NUMBER;
                let why = format!(
                    "another node, which is connected from {holder} and answers, has its name \
                     {name}: its own was rejected with sense {sense}"
                );
                around.complain(&self.place, &why);
                PartnerAdmission::Refused(self.negotiation.refusal(&XidError::NameTaken), why)
            }
        }
    }

    /// Why the partner's XID ends the link, as text for messages.
    pub fn refused(&self, why: &XidError) -> String {
        match why {
            XidError::Refused { sense, .. } if *sense == Sense::TG_NUMBER => format!(
                "another node called {} already has a link with the partner: give this node a \
                 name of its own (`--lu`, or `lu` in its configuration or scenario)",
                self.lu
            ),
            other => other.to_string(),
        }
    }

    /// Whether this side's station is the primary one.
    pub fn is_primary(&self) -> bool {
        self.agreed
            .as_ref()
            .is_some_and(|agreed| agreed.role == StationRole::Primary)
    }

    /// The role, as text for messages.
    pub fn role(&self) -> String {
        if self.is_primary() {
            "primary"
        } else {
            "secondary"
        }
        .into()
    }

    /// Activates the link in the node. `frame_bytes` is the largest frame of
    /// the path.
    pub fn up(&mut self, around: &mut TransportContext<'_>, frame_bytes: usize) -> Option<LinkId> {
        let agreed = self.agreed.as_ref()?;
        let role = match agreed.role {
            StationRole::Primary => LinkRole::Primary,
            _ => LinkRole::Secondary,
        };
        let btu = usize::from(agreed.peer.max_btu_bytes).min(frame_bytes);
        let link = around.node.link_up(LinkConfig::new(role, btu), around.now);
        self.link = Some(link);
        if let Some(partner) = &self.partner {
            around.node.define_route(partner.clone(), link);
        }
        // A node with one logical unit is often called like its control point.
        if let Ok(name) = agreed.peer.cp_name.parse::<LuName>() {
            around.node.define_route(name, link);
        }
        let (call, partners) = (self.call, self.partners());
        around
            .link_events
            .push(super::LinkEvent::Up { call, partners });
        Some(link)
    }

    /// Where the partner is.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Takes the link from the node.
    pub fn down(&mut self, around: &mut TransportContext<'_>, why: &str) {
        let mut partners = Vec::new();
        self.held = None;
        if let Some(name) = self.claimed.take() {
            around.names.release(&name, &self.place);
        }
        if let Some(link) = self.link.take() {
            around.node.link_down(link, around.now);
            around.peer_faults.note_gone(link, &self.place);
            partners = self.partners();
        }
        let call = self.call;
        let why = why.to_owned();
        around.link_events.push(super::LinkEvent::Down {
            call,
            partners,
            why,
        });
    }

    /// The names under which the partner is reached over it.
    fn partners(&self) -> Vec<LuName> {
        let announced = self.agreed.as_ref();
        let announced = announced.and_then(|agreed| agreed.peer.cp_name.parse().ok());
        announced.into_iter().chain(self.partner.clone()).collect()
    }

    /// Whether its link is active, leads to `partner` and `may_use` accepts it.
    pub fn leads_to(&self, partner: &LuName, may_use: &dyn Fn(LinkId) -> bool) -> bool {
        let announced = self
            .agreed
            .as_ref()
            .is_some_and(|agreed| agreed.peer.cp_name == partner.as_str());
        self.link.is_some_and(may_use) && (announced || self.partner.as_ref() == Some(partner))
    }

    /// The partner's name for messages.
    pub fn partner_name(&self) -> String {
        let announced = self
            .agreed
            .as_ref()
            .map(|agreed| agreed.peer.cp_name.clone());
        announced
            .filter(|name| !name.is_empty())
            .or_else(|| self.partner.as_ref().map(|name| name.as_str().to_owned()))
            .unwrap_or_default()
    }
}
