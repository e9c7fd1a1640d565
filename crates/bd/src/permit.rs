//! What a store asks for before it changes anything: a permit, spent by value (I2).
//!
//! A permit says on what authority one operation may happen, and refuses every other. It must not be stored, cloned,
//! read back or made from a flag.

use premath_kernel::{Digest, Intent, MutationReady, Token, Value};

/// What a permit is held against: a change of one of our stores, as an intent names it.
pub(crate) trait Permitted {
    /// The host action it is.
    fn action(&self) -> &'static str;

    /// The digest of its canonical arguments.
    fn args_digest(&self) -> Digest;

    /// The status that it brings an issue to, where it can set one.
    fn target_status(&self) -> Option<&str> {
        None
    }

    /// Whether it only takes, keeps or lets go of work.
    fn is_about_a_lease(&self) -> bool;
}

/// Permission for one mutation.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a permit is made, handed over once and spent")]
pub enum Permit {
    /// Earned by a closed turn, linked to an instruction and spent: admits exactly the intent it was admitted for.
    Turn(SpentGrant),
    /// Claiming, renewing and releasing on the strength of an instruction witness.
    Lease(LeaseGrant),
    /// A person at a terminal, as the configuration allows. Made in the command only.
    Operator(OperatorGrant),
    /// Upkeep of a store as a whole: it takes rows over, moves or mends them, and changes no single issue or file.
    Maintenance(MaintenanceGrant),
}

/// What a closed turn earned, together with the intent it was asked for. Not yet a permit: the ledger of the instruction
/// that the intent names makes one of it, once.
#[derive(Debug)]
pub struct TurnGrant {
    ready: MutationReady,
    intent: Intent,
}

/// A turn's permission that the ledger of its instruction recorded as spent.
#[derive(Debug)]
pub struct SpentGrant {
    grant: TurnGrant,
    instruction_ref: String,
    permit_id: String,
}

impl SpentGrant {
    /// Only the ledger makes one, once it has recorded that it does.
    pub(crate) const fn new(grant: TurnGrant, instruction_ref: String, permit_id: String) -> Self {
        Self { grant, instruction_ref, permit_id }
    }

    /// Its name in the ledger.
    #[must_use]
    pub fn permit_id(&self) -> &str {
        &self.permit_id
    }
}

impl TurnGrant {
    /// Binds a proof to the intent it admits.
    ///
    /// # Errors
    /// When the proof is for another intent.
    pub fn new(ready: MutationReady, intent: Intent) -> Result<Self, PermitRefusal> {
        if intent.digest() == *ready.intent_digest() {
            Ok(Self { ready, intent })
        } else {
            Err(PermitRefusal { detail: "the proof was earned for another intent".to_owned() })
        }
    }

    /// The intent it admits.
    #[must_use]
    pub const fn intent(&self) -> &Intent {
        &self.intent
    }

    /// The proof.
    pub(crate) const fn ready(&self) -> &MutationReady {
        &self.ready
    }
}

/// An instruction's permission to hold work.
#[derive(Debug)]
pub struct LeaseGrant {
    instruction_ref: String,
    policy: Digest,
}

impl LeaseGrant {
    /// On the strength of an accepted instruction witness, under a policy.
    #[must_use]
    pub const fn new(instruction_ref: String, policy: Digest) -> Self {
        Self { instruction_ref, policy }
    }
}

/// Why a person may do it.
#[derive(Debug)]
pub enum OperatorBasis {
    /// The configuration lets a person's terminal change issue memory.
    Configured,
    /// The configuration asks for a reason, and here it is.
    Override {
        /// In the person's words.
        reason: String,
    },
}

/// A person's permission.
#[derive(Debug)]
pub struct OperatorGrant {
    actor: Option<String>,
    basis: OperatorBasis,
}

impl OperatorGrant {
    /// For the person at the terminal, under whatever name they go.
    #[must_use]
    pub const fn new(actor: Option<String>, basis: OperatorBasis) -> Self {
        Self { actor, basis }
    }
}

/// What housekeeping is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maintenance {
    /// Superseded rows move to the history.
    Compact,
    /// Rows of another store are taken over.
    Import,
    /// Objects that nothing cites are removed.
    CollectGarbage,
    /// Damage is mended, with a backup.
    Repair,
    /// A lane is written that is nobody's authority: a session, a ledger, a trajectory.
    Record,
    /// Logs that this clone did not write are taken over, on record.
    Trust,
}

/// Housekeeping's permission.
#[derive(Debug)]
pub struct MaintenanceGrant {
    purpose: Maintenance,
    actor: Option<String>,
    reason: Option<String>,
}

impl MaintenanceGrant {
    /// For one purpose.
    #[must_use]
    pub const fn new(purpose: Maintenance) -> Self {
        Self { purpose, actor: None, reason: None }
    }

    /// The same for somebody, under whatever name they go, with the reason they gave.
    #[must_use]
    pub fn by(self, actor: Option<String>, reason: Option<String>) -> Self {
        Self { actor, reason, ..self }
    }

    /// The purpose.
    #[must_use]
    pub const fn purpose(&self) -> Maintenance {
        self.purpose
    }
}

/// A permit for something else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("permit_mismatch: {detail}")]
pub struct PermitRefusal {
    /// Why it does not fit.
    pub detail: String,
}

impl Permit {
    /// The authority a row records, if this permit is for that operation.
    pub(crate) fn authorise(self, operation: &impl Permitted) -> Result<Authority, PermitRefusal> {
        let mismatch = |detail: &str| Err(PermitRefusal { detail: detail.to_owned() });
        match self {
            Self::Turn(grant) => {
                let intent = grant.grant.intent();
                let same = intent.action.as_str() == operation.action()
                    && intent.args_digest == operation.args_digest()
                    && is_said_status(intent, operation);
                if same {
                    Ok(Authority::turn(&grant))
                } else {
                    mismatch("the turn was admitted for another operation")
                }
            }
            Self::Lease(grant) if operation.is_about_a_lease() => Ok(Authority::lease(grant)),
            Self::Lease(_) => mismatch("a lease permit only claims, renews and releases"),
            Self::Operator(grant) => Ok(Authority::operator(grant)),
            Self::Maintenance(_) => mismatch("maintenance changes no single issue or file"),
        }
    }
}

/// On whose authority a row was written: what `write_witness` says.
#[derive(Debug)]
pub(crate) struct Authority {
    kind: &'static str,
    members: Vec<(&'static str, String)>,
    /// Whether a person vouches for it, who may change what others hold. All others must name the lease they hold.
    pub(crate) is_person: bool,
}

impl Authority {
    fn turn(spent: &SpentGrant) -> Self {
        let ready = spent.grant.ready();
        let members = vec![
            ("turn_digest", ready.turn_digest().to_string()),
            ("intent_digest", ready.intent_digest().to_string()),
            ("policy_digest", ready.policy_digest().to_string()),
            ("instruction_ref", spent.instruction_ref.clone()),
            ("permit_id", spent.permit_id.clone()),
        ];
        Self { kind: "turn", members, is_person: false }
    }

    fn lease(grant: LeaseGrant) -> Self {
        let members = vec![
            ("instruction_ref", grant.instruction_ref),
            ("policy_digest", grant.policy.as_str().to_owned()),
        ];
        Self { kind: "lease", members, is_person: false }
    }

    fn operator(grant: OperatorGrant) -> Self {
        let mut members: Vec<_> = grant.actor.map(|actor| ("actor", actor)).into_iter().collect();
        if let OperatorBasis::Override { reason } = grant.basis {
            members.push(("override_reason", reason));
        }
        Self { kind: "operator", members, is_person: true }
    }

    /// For rows that upkeep writes.
    pub(crate) fn maintenance(grant: &MaintenanceGrant) -> Self {
        let purpose = match grant.purpose {
            Maintenance::Compact => "compact",
            Maintenance::Import => "import",
            Maintenance::CollectGarbage => "collect_garbage",
            Maintenance::Repair => "repair",
            Maintenance::Record => "record",
            Maintenance::Trust => "trust",
        };
        let mut members = vec![("purpose", purpose.to_owned())];
        members.extend(grant.actor.clone().map(|actor| ("actor", actor)));
        members.extend(grant.reason.clone().map(|reason| ("override_reason", reason)));
        Self { kind: "maintenance", members, is_person: true }
    }

    /// For a change that is tried and never kept.
    pub(crate) const fn rehearsal() -> Self {
        Self { kind: "rehearsal", members: Vec::new(), is_person: false }
    }

    /// What it says under one name.
    pub(crate) fn member(&self, wanted: &str) -> Option<&str> {
        self.members.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str())
    }

    /// The members that go into `write_witness`.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&'static str, &str)> {
        std::iter::once(("authority", self.kind))
            .chain(self.members.iter().map(|(name, value)| (*name, value.as_str())))
    }
}

/// The digest of an operation's arguments, as an intent names it.
pub(crate) fn args_digest(args: &Value<'_>) -> Digest {
    Digest::prefixed("he1_", args)
}

/// Whether what an intent says about the status is what the operation does. The gate has judged what it says.
fn is_said_status(intent: &Intent, operation: &impl Permitted) -> bool {
    let does = operation.target_status().and_then(Token::new);
    intent.target_status.as_ref().is_none_or(|said| does.as_ref() == Some(said))
}
