//! The files of the example: a shell script, two checks of which one fails, a policy, and what to try.

use premath_kernel::{Digest, Object, Value, encode};

/// Every file, by its path in the example.
pub(super) fn all() -> Vec<(&'static str, String)> {
    vec![
        ("README.md", README.to_owned()),
        ("greet.sh", GREET.to_owned()),
        ("checks/usage.sh", USAGE_CHECK.to_owned()),
        ("checks/greeting.sh", GREETING_CHECK.to_owned()),
        ("policies/instruction/default.json", instruction_policy()),
    ]
}

const README: &str = "\
# A small project to try premath on

`greet.sh` greets. It should greet by name, and does not yet: `sh checks/greeting.sh` fails until somebody mends it.

Try, in this folder:

```sh
premath issue ready                          # what can be worked on
premath issue blocked                        # what cannot, and why
premath dep project                          # the graph as a tree
premath issue claim-next --assignee jo       # take the first one; note the fence
sh checks/greeting.sh                        # fails: that is the bug
# mend greet.sh so that it says `hello, NAME`, then:
premath issue update bd-2 --status closed --append-notes 'greets by name' --lease-owner jo --fence 1
premath issue ready                          # the next one was set free
premath issue history bd-2                   # who did what, when
premath issue check                          # is every issue in order?
premath verify                               # is everything on the disk as it was written?
```

`policies/instruction/default.json` says which checks an instruction may ask for, and how they are run.
";

const GREET: &str = "\
#!/bin/sh
# Greets whoever is named, or the world.
echo \"hello, world\"
";

const USAGE_CHECK: &str = "\
#!/bin/sh
# Without a name the world is greeted.
set -eu
cd \"$(dirname \"$0\")/..\"
said=$(sh greet.sh)
test \"$said\" = 'hello, world' || { echo \"expected 'hello, world', got '$said'\"; exit 1; }
";

const GREETING_CHECK: &str = "\
#!/bin/sh
# With a name that one is greeted. Fails until bd-2 is done.
set -eu
cd \"$(dirname \"$0\")/..\"
said=$(sh greet.sh Ada)
test \"$said\" = 'hello, Ada' || { echo \"expected 'hello, Ada', got '$said'\"; exit 1; }
";

/// Which checks an instruction may ask for. Its digest is over everything else in it, lists sorted.
fn instruction_policy() -> String {
    let checks = || {
        Object::fields()
            .field("graph", "premath:graph")
            .field("greeting", "sh checks/greeting.sh")
            .field("issue", "premath:issue")
            .field("store", "premath:store")
            .field("usage", "sh checks/usage.sh")
            .finish()
    };
    let document = |digest: Option<String>| {
        Object::fields()
            .field("allowUnknown", false)
            .field("allowedChecks", Value::text_list(["graph", "greeting", "issue", "store", "usage"]))
            .field("allowedNormalizers", Value::text_list(["normalizer.v1", "premath.harness.v1"]))
            .field("capabilities", Value::text_list(CAPABILITIES))
            .field("checks", checks())
            .optional("policyDigest", digest)
            .field("policyId", "example.instruction.v1")
            .field("policyKind", "ci.instruction.policy.v1")
            .field("schema", 1_u32)
            .finish()
    };
    let digest = Digest::prefixed("pol1_", &document(None)).as_str().to_owned();
    readable(&document(Some(digest)))
}

/// Sorted, as the digest wants it.
const CAPABILITIES: [&str; 10] = [
    "capabilities.change_morphisms.dep_add",
    "capabilities.change_morphisms.dep_remove",
    "capabilities.change_morphisms.dep_replace",
    "capabilities.change_morphisms.issue_add",
    "capabilities.change_morphisms.issue_claim",
    "capabilities.change_morphisms.issue_claim_next",
    "capabilities.change_morphisms.issue_discover",
    "capabilities.change_morphisms.issue_lease_release",
    "capabilities.change_morphisms.issue_lease_renew",
    "capabilities.change_morphisms.issue_update",
];

/// The document with a member on each line.
fn readable(document: &Value<'_>) -> String {
    let members = document.as_object().map(|object| {
        let line = |(name, value): (&str, &Value<'_>)| {
            format!("  \"{name}\": {}", String::from_utf8_lossy(&encode(value)))
        };
        object.iter().map(line).collect::<Vec<_>>().join(",\n")
    });
    format!("{{\n{}\n}}\n", members.unwrap_or_default())
}

#[cfg(test)]
mod tests;
