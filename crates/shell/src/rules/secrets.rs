//! Programs that print credentials.

use super::{Call, begins};
use crate::flow::{Flow, Origin};
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// Calls that print credentials: a program and the words it begins with.
const PRINTING: &[(&str, &str)] = &[
    ("security", "find-generic-password"),
    ("security", "find-internet-password"),
    ("security", "dump-keychain"),
    ("security", "export"),
    ("secret-tool", "lookup"),
    ("secret-tool", "search"),
    ("gcloud", "auth print-access-token"),
    ("gcloud", "auth print-identity-token"),
    ("aws", "configure get"),
    ("aws", "configure export-credentials"),
    ("aws", "sts get-session-token"),
    ("aws", "secretsmanager get-secret-value"),
    ("aws", "ssm get-parameter"),
    ("az", "account get-access-token"),
    ("az", "keyvault secret"),
    ("vault", "kv get"),
    ("vault", "read"),
    ("vault", "print token"),
    ("op", "read"),
    ("op", "item get"),
    ("pass", "show"),
    ("gopass", "show"),
    ("bw", "get"),
    ("bw", "list"),
    ("lpass", "show"),
    ("heroku", "config"),
    ("heroku", "auth:token"),
    ("npm", "token"),
    ("kwallet-query", "*"),
    ("keyring", "get"),
    ("docker-credential-desktop", "get"),
    ("fly", "auth token"),
    ("doppler", "secrets"),
];

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "printenv" => {
            let names = call.positionals(&[]);
            if names.is_empty() {
                return Some(environment());
            }
            if names.iter().any(|name| is_secret_variable(&name.text)) {
                interpreter.ask(RiskClass::Secrets, Reach::Machine, "prints a credential of the environment");
                return Some(secret());
            }
            return Some(Flow::output());
        }
        "gpg" | "gpg2" => return Some(gpg(interpreter, call)),
        "ssh-keygen" | "ssh-add" => {
            for path in call.values(&["-f"]) {
                if call.has('y', "") || call.has('e', "") {
                    interpreter.read(&path);
                } else {
                    interpreter.create(&path);
                }
            }
            return Some(Flow::output());
        }
        "pass"
            if call.args.len() == 1
                && !call.args.first().is_some_and(|arg| arg.is_option() || arg.is("ls")) => {}
        _ => {
            let words = call.words(&["--profile", "--region", "--account", "--vault", "-w", "-s", "-a"]);
            if !PRINTING.iter().any(|(name, pattern)| *name == call.name && begins(&words, pattern)) {
                return None;
            }
        }
    }
    interpreter.deny(RiskClass::Secrets, Reach::Machine, "prints stored credentials");
    Some(secret())
}

fn secret() -> Flow {
    Flow { text: None, origin: Origin { secret: true, local: true, ..Origin::default() } }
}

/// The whole environment, as it is printed.
pub(super) fn environment() -> Flow {
    let environment = Origin { environment: true, ..Origin::NONE };
    secret().joined(environment)
}

fn gpg(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    if call.args.iter().any(|arg| arg.text.starts_with("--export-secret")) {
        interpreter.deny(RiskClass::Secrets, Reach::Machine, "prints private keys");
        return secret();
    }
    if call.mentions("--import") && call.input.origin.network {
        interpreter.ask(RiskClass::Install, Reach::Network, "trusts a key that the network delivers");
    }
    if call.args.iter().any(|arg| arg.text.starts_with("--delete-secret")) {
        interpreter.ask(RiskClass::Destructive, Reach::Machine, "deletes private keys");
    }
    Flow::output()
}

/// Whether the name of a variable says that it holds a credential.
pub(super) fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let parts: Vec<&str> = name.split('_').collect();
    ["token", "secret", "password", "passwd", "pass", "apikey", "pat", "credential", "credentials", "pwd"]
        .iter()
        .any(|word| parts.contains(word))
        && name != "pwd"
        || name.contains("api_key")
        || name.contains("access_key")
        || name.contains("private_key")
        || name.contains("secret")
        || name.ends_with("_token")
        || name.ends_with("_dsn")
        || name == "database_url"
}
