//! The packages that a workspace knows beside its own files: the one that comes with premath, and one that is being measured.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use premath_bd::PolicyFiles;
use premath_kernel::Digest;
use premath_tusk::policy::{ControlProfile, RiskTier};
use premath_wire::Json;

use crate::measured::shipped_gates;

/// The folder of rules in a package. Rules of a package replace the shipped ones as a whole.
const RULES: &str = "governor/";

/// The packages that a workspace knows beside its own files.
#[derive(Debug, Clone, Default)]
pub struct PolicyPackages {
    shipped: Arc<Shipped>,
    candidate: Option<Digest>,
}

/// The package that comes with premath. Its digest is asked for with every change, so it is computed once.
#[derive(Debug, Default)]
struct Shipped {
    files: PolicyFiles,
    digest: OnceLock<Digest>,
}

impl PolicyPackages {
    /// Those of a repository: the package that comes with premath holds where nothing was promoted.
    #[must_use]
    pub fn new(shipped: PolicyFiles) -> Self {
        let shipped = Shipped { files: shipped, digest: OnceLock::new() };
        Self { shipped: Arc::new(shipped), candidate: None }
    }

    /// Those of a scratch repository in which `candidate` is measured: that package must be there, and no promotion counts.
    #[must_use]
    pub fn measuring(mut self, candidate: &PolicyFiles) -> Self {
        self.candidate = Some(self.resolve(candidate).digest());
        self
    }

    /// The package that comes with premath.
    pub(super) fn shipped(&self) -> &PolicyFiles {
        &self.shipped.files
    }

    /// Its digest.
    pub(super) fn shipped_digest(&self) -> &Digest {
        self.shipped.digest.get_or_init(|| self.shipped.files.digest())
    }

    /// The digest of the package that is measured here.
    pub(super) const fn candidate(&self) -> Option<&Digest> {
        self.candidate.as_ref()
    }

    /// A package, or the shipped one where it holds nothing.
    pub(super) fn resolve<'p>(&'p self, package: &'p PolicyFiles) -> &'p PolicyFiles {
        if package.is_empty() { self.shipped() } else { package }
    }

    /// A package with everything of the shipped one that holds beside it.
    pub(crate) fn effective(&self, package: &PolicyFiles) -> PolicyFiles {
        if package.is_empty() {
            return self.shipped().clone();
        }
        let has_rules = package.iter().any(|(name, _)| name.starts_with(RULES));
        let mut files: BTreeMap<String, Vec<u8>> =
            package.iter().map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect();
        for (name, bytes) in self.shipped().iter() {
            if !(has_rules && name.starts_with(RULES)) {
                files.entry(name.to_owned()).or_insert_with(|| bytes.to_vec());
            }
        }
        PolicyFiles::new(files)
    }
}

/// The package that comes with premath: `rules` by name below `governor/`, the controls of every tier, and the gates.
#[must_use]
pub fn shipped_package(rules: impl IntoIterator<Item = (String, String)>) -> PolicyFiles {
    let mut files: BTreeMap<String, Vec<u8>> =
        rules.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
    for tier in RiskTier::ALL {
        let (name, text) = control_text(&ControlProfile::standard(tier));
        files.insert(name, text.into_bytes());
    }
    files.extend(shipped_gates().map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())));
    PolicyFiles::new(files)
}

/// The controls of a tier as the file of a package: its name and its text.
pub(crate) fn control_text(profile: &ControlProfile) -> (String, String) {
    let value = Json(profile.to_value().into_owned());
    // A value of the kernel has nothing in it that JSON has no text for.
    let mut text = serde_json::to_string_pretty(&value).unwrap_or_default();
    text.push('\n');
    (format!("risk/{}.json", profile.tier.token()), text)
}
