//! Policies of instructions: `policies/instruction/*.json`, each bound by the digest of its own content, and the one that
//! counts where a repository has none.
//!
//! Lists that are sets are sorted before they are hashed, so that two spellings of one policy are one policy. A file that
//! cannot be read refuses everything: nobody knows what it would have forbidden. It must not grant what it does not list.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use premath_bd::{Access, Disk, StoreError, read_to_end};
use premath_kernel::{Digest, Number, Object, TextSet, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::INSTRUCTION_POLICY_KIND;
use premath_wire::{InputClass, InputError, JsonPath};

use super::client_grants::ClientGrants;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

/// What a claim of everything is spelled.
pub(crate) const EVERYTHING: &str = "capabilities.change_morphisms.all";
/// How long a witness permits, when nobody says.
const DEFAULT_TTL_SECONDS: u64 = 3_600;
/// A witness permits for a day at most.
const LONGEST_TTL_SECONDS: u64 = 86_400;
/// The most bytes of a policy.
const LARGEST: usize = 1 << 20;
/// The members of a policy that are sets.
const SETS: [&str; 4] = ["allowedChecks", "allowedNormalizers", "capabilities", "instructionTypes"];

/// Where policies of instructions are.
pub(crate) fn policies_folder(root: &Path) -> PathBuf {
    root.join("policies").join("instruction")
}

/// A policy of instructions.
#[derive(Debug, Clone)]
pub(crate) struct InstructionPolicy {
    pub(crate) id: String,
    pub(crate) allowed_checks: Vec<String>,
    pub(crate) allowed_normalizers: Vec<String>,
    /// What each check is: a shell command, or a check of our own.
    pub(crate) checks: BTreeMap<String, String>,
    pub(crate) allow_unknown: bool,
    /// Kinds of instructions that it knows beside those that are known everywhere.
    pub(crate) instruction_types: Vec<String>,
    pub(crate) capabilities: Vec<String>,
    /// What of it an instruction of a client may have.
    pub(super) clients: ClientGrants,
    pub(crate) ttl_seconds: u64,
    /// The digest of its content.
    pub(crate) digest: Digest,
    /// The digest that it says it has.
    stated: Option<String>,
    /// Its content in normal form, as a mutation policy.
    pub(crate) document: Object<'static>,
}

impl InstructionPolicy {
    /// Whether it grants an action.
    pub(crate) fn grants(&self, capability: &str) -> bool {
        self.capabilities.iter().any(|granted| granted == capability || granted == EVERYTHING)
    }

    /// Reads a policy.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, InputError> {
        let value = parse(bytes, Limits::default())?;
        let source = value.as_object().ok_or_else(|| invalid("expected an object", JsonPath::root()))?;
        let text = |name: &'static str| -> Result<String, InputError> {
            let found = source.get(name).and_then(Value::as_text).map(str::trim);
            found
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
                .ok_or_else(|| invalid("expected text that is not blank", JsonPath::root().key(name)))
        };
        if source.get("schema").and_then(Value::as_number).and_then(Number::as_u64) != Some(1) {
            return Err(invalid("expected 1", JsonPath::root().key("schema")));
        }
        if text("policyKind")? != INSTRUCTION_POLICY_KIND {
            let what = format!("expected `{INSTRUCTION_POLICY_KIND}`");
            return Err(invalid(&what, JsonPath::root().key("policyKind")));
        }
        let document = normal(source);
        let ttl_seconds = ttl(source)?;
        let policy = Self {
            id: text("policyId")?,
            allowed_checks: texts(source, "allowedChecks")?,
            allowed_normalizers: texts(source, "allowedNormalizers")?,
            checks: checks(source)?,
            allow_unknown: flag(source, "allowUnknown")?,
            instruction_types: match source.get("instructionTypes") {
                None | Some(Value::Null) => Vec::new(),
                Some(_) => texts(source, "instructionTypes")?,
            },
            capabilities: texts(source, "capabilities")?,
            clients: ClientGrants::read(source)?,
            ttl_seconds,
            digest: Digest::prefixed("pol1_", &Value::Object(document.clone())),
            stated: source.get("policyDigest").and_then(Value::as_text).map(str::to_owned),
            document,
        };
        if let Some(check) = policy.clients.unknown_check(&policy.allowed_checks) {
            let what = format!("clients need the check `{check}`, which is not allowed");
            return Err(invalid(&what, JsonPath::root().key("clients")));
        }
        match policy.allowed_checks.iter().find(|check| !policy.checks.contains_key(*check)) {
            Some(check) => {
                let what = format!("the check `{check}` is allowed and nowhere said");
                Err(invalid(&what, JsonPath::root().key("checks")))
            }
            None => Ok(policy),
        }
    }
}

fn invalid(what: &str, path: JsonPath) -> InputError {
    InputError::new(InputClass::FieldInvalid, what, path)
}

/// The content that is hashed: without the digest, with its sets sorted.
fn normal(source: &Object<'_>) -> Object<'static> {
    let members = source.iter().filter(|(name, _)| *name != "policyDigest").map(|(name, value)| {
        let value = match value.as_array() {
            Some(items) if SETS.contains(&name) => sorted(items),
            Some(_) | None => value.clone().into_owned(),
        };
        (name.to_owned().into(), value)
    });
    Object::from_members(members.collect()).unwrap_or_default()
}

fn sorted(items: &[Value<'_>]) -> Value<'static> {
    let texts: TextSet =
        items.iter().filter_map(Value::as_text).filter_map(premath_kernel::Text::new).collect();
    Value::Array(texts.iter().map(|text| Value::from(text.as_str().to_owned())).collect())
}

pub(super) fn texts(source: &Object<'_>, name: &'static str) -> Result<Vec<String>, InputError> {
    let path = || JsonPath::root().key(name);
    let items =
        source.get(name).and_then(Value::as_array).ok_or_else(|| invalid("expected a list", path()))?;
    let mut texts = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let text = item.as_text().map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| invalid("expected text that is not blank", path().index(at)))?;
        texts.push(text.to_owned());
    }
    texts.sort_unstable();
    texts.dedup();
    Ok(texts)
}

fn checks(source: &Object<'_>) -> Result<BTreeMap<String, String>, InputError> {
    let path = || JsonPath::root().key("checks");
    let object = source
        .get("checks")
        .and_then(Value::as_object)
        .ok_or_else(|| invalid("expected an object", path()))?;
    let mut checks = BTreeMap::new();
    for (name, command) in object.iter() {
        let command = command.as_text().map(str::trim).filter(|command| !command.is_empty());
        let command = command.ok_or_else(|| invalid("expected a command", path().key(name)))?;
        checks.insert(name.to_owned(), command.to_owned());
    }
    Ok(checks)
}

fn flag(source: &Object<'_>, name: &'static str) -> Result<bool, InputError> {
    match source.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(value) => {
            value.as_bool().ok_or_else(|| invalid("expected true or false", JsonPath::root().key(name)))
        }
    }
}

fn ttl(source: &Object<'_>) -> Result<u64, InputError> {
    let Some(value) = source.get("ttlSeconds") else { return Ok(DEFAULT_TTL_SECONDS) };
    let seconds = value.as_number().and_then(Number::as_u64);
    seconds.filter(|seconds| (1..=LONGEST_TTL_SECONDS).contains(seconds)).ok_or_else(|| {
        let what = format!("expected 1 to {LONGEST_TTL_SECONDS} seconds");
        invalid(&what, JsonPath::root().key("ttlSeconds"))
    })
}

/// The policy that counts where a repository has none of its own; `premath init` writes it out.
pub(crate) const BUILT_IN: &str = include_str!("default_policy.json");

/// The same as a file that says its own digest.
pub(crate) fn written_default() -> String {
    let digest = InstructionPolicy::read(BUILT_IN.as_bytes()).map(|policy| policy.digest);
    match (digest, BUILT_IN.trim_end().strip_suffix('}')) {
        (Ok(digest), Some(head)) => format!("{},\n  \"policyDigest\": \"{digest}\"\n}}\n", head.trim_end()),
        (Ok(_) | Err(_), _) => BUILT_IN.to_owned(),
    }
}

/// Whether a repository has policies of its own.
///
/// # Errors
/// `Io` when they cannot be listed.
pub(crate) fn has_policies(disk: &dyn Disk, root: &Path) -> Result<bool, StoreError> {
    Ok(!files(disk, &policies_folder(root))?.is_empty())
}

/// The policies in force.
#[derive(Debug)]
pub(crate) struct Policies {
    known: Vec<InstructionPolicy>,
}

/// What a digest leads to.
#[derive(Debug)]
pub(crate) enum Found<'p> {
    /// A policy with that content.
    Policy(&'p InstructionPolicy),
    /// A policy that says it has that digest, and has another.
    Changed(&'p InstructionPolicy),
    /// None.
    Unknown,
}

impl Policies {
    /// Reads every policy of a repository.
    ///
    /// # Errors
    /// A file that cannot be read, or is no policy.
    pub(crate) fn load(workspace: &Workspace) -> Result<Self, ActionError> {
        let folder = policies_folder(&workspace.root);
        let mut known = Vec::new();
        for path in files(workspace.disk.as_ref(), &folder)? {
            let bytes = read(workspace.disk.as_ref(), &path)?;
            let policy = InstructionPolicy::read(&bytes).map_err(|error| {
                let what = format!("`{}`: {}", shown(&path), error.what);
                InputError::new(error.class, what, error.path)
            })?;
            known.push(policy);
        }
        if known.is_empty() {
            known.push(InstructionPolicy::read(BUILT_IN.as_bytes())?);
        }
        Ok(Self { known })
    }

    /// These, for a test.
    #[cfg(test)]
    pub(super) const fn of(known: Vec<InstructionPolicy>) -> Self {
        Self { known }
    }

    /// The policy of a digest.
    pub(crate) fn find(&self, digest: &str) -> Found<'_> {
        if let Some(policy) = self.known.iter().find(|policy| policy.digest.as_str() == digest) {
            // Its file is what was bound; what it says of itself must be true all the same.
            return match policy.stated.as_deref() {
                Some(stated) if stated != digest => Found::Changed(policy),
                Some(_) | None => Found::Policy(policy),
            };
        }
        let stated = self.known.iter().find(|policy| policy.stated.as_deref() == Some(digest));
        stated.map_or(Found::Unknown, Found::Changed)
    }

    /// The policy under which premath writes instructions of its own: the one called `default`, or the first by name.
    pub(crate) fn own(&self) -> Option<&InstructionPolicy> {
        let default = self.known.iter().find(|policy| policy.id == "default");
        default.or_else(|| self.known.iter().min_by(|one, other| one.id.cmp(&other.id)))
    }
}

/// Whether an empty file is in the place of `policies`: a sandbox that was killed left it.
fn is_stand_in(disk: &dyn Disk, policies: Option<&Path>) -> bool {
    let file = policies.and_then(|path| disk.open(path, Access::Read).ok());
    file.and_then(|file| file.stat().ok()).is_some_and(|stat| stat.length == 0)
}

fn files(disk: &dyn Disk, folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let entries = match disk.list(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) if error.kind() == ErrorKind::NotADirectory && is_stand_in(disk, folder.parent()) => {
            return Ok(Vec::new());
        }
        listed => {
            listed.map_err(|source| StoreError::Io { doing: "list", path: folder.to_owned(), source })?
        }
    };
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .filter(|entry| !entry.is_folder && entry.name.ends_with(".json"))
        .map(|entry| folder.join(entry.name))
        .collect();
    files.sort_unstable();
    Ok(files)
}

pub(crate) fn read(disk: &dyn Disk, path: &Path) -> Result<Vec<u8>, StoreError> {
    let failed = |doing| move |source| StoreError::Io { doing, path: path.to_owned(), source };
    let file = disk.open(path, Access::Read).map_err(|source| {
        if source.kind() == std::io::ErrorKind::NotFound {
            StoreError::Missing { path: path.to_owned() }
        } else {
            StoreError::Io { doing: "open", path: path.to_owned(), source }
        }
    })?;
    let bytes = read_to_end(file.as_ref(), 0, LARGEST + 1).map_err(failed("read"))?;
    if bytes.len() > LARGEST {
        let what = format!("`{}` has more than {LARGEST} bytes", shown(path));
        return Err(InputError::new(InputClass::TooLarge, what, JsonPath::root()).into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
