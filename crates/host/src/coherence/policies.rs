//! Every policy document below `policies/` hashes to the digest it names, and the files of the policy package are the package
//! in force.

use std::path::Path;

use premath_kernel::Value;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::REQUIRED_POLICY_KIND;

use super::places::{bytes, files, line_of};
use super::{CoherenceClass, Found};
use crate::governance::package_problems;
use crate::policy_digest::{POLICY_DIGEST, policy_digest};
use crate::required::policy_digest_holds;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

const KIND: &str = "policyKind";

pub(super) fn check(workspace: &Workspace, found: &mut Found) -> Result<(), ActionError> {
    let mut count = 0;
    for file in files(workspace, "policies", ".json")? {
        let content = bytes(workspace, &file)?.unwrap_or_default();
        let problem = match parse(&content, Limits::default()) {
            Err(error) => Some(error.to_string()),
            Ok(document) => problem(&document, &content, &file),
        };
        count += 1;
        if let Some(detail) = problem {
            let line = line_of(&String::from_utf8_lossy(&content), POLICY_DIGEST);
            found.problem(CoherenceClass::PolicyDigestMismatch, &file, line, detail);
        }
    }
    found.count("policy documents", count);
    for problem in package_problems(workspace)? {
        let line = problem.line.and_then(|line| usize::try_from(line).ok());
        let path = Path::new(&problem.path).strip_prefix(&workspace.root).map(shown);
        let path = path.unwrap_or_else(|_| problem.path.clone());
        found.problem(CoherenceClass::PolicyPackageDrift, &path, line, problem.detail);
    }
    Ok(())
}

fn problem(document: &Value<'_>, content: &[u8], file: &str) -> Option<String> {
    let members = document.as_object()?;
    let kind = members.get(KIND).and_then(Value::as_text);
    let named = members.get(POLICY_DIGEST);
    if kind.is_none() && named.is_none() {
        // Examples and settings of rules are files of a package, which has a digest as a whole.
        return None;
    }
    if kind == Some(REQUIRED_POLICY_KIND) {
        return policy_digest_holds(content, file).err();
    }
    let Some(named) = named.and_then(Value::as_text) else {
        return Some(format!("a policy of kind `{}` names no digest", kind.unwrap_or_default()));
    };
    let computed = policy_digest(document);
    (computed.as_str() != named).then(|| format!("it says {named} and hashes to {computed}"))
}
