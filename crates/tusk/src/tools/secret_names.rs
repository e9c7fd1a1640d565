//! Names that say that a file holds secrets: the one list that searching, commands and the shipped rule go by.
//!
//! The rule (`secrets.named`) is written in its own language and held against this list by a test. Names alone: it must not
//! look into a file.

/// Files that hold credentials and nothing else, by their whole name; commands do not get to read them either.
pub const CREDENTIAL_FILES: [&str; 10] = [
    ".env",
    ".git-credentials",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
];
/// The settings of one surrounding, as they are commonly called.
pub const SURROUNDINGS: [&str; 5] =
    [".env.development", ".env.local", ".env.production", ".env.staging", ".env.test"];
/// How names of keys end.
pub const SECRET_ENDINGS: [&str; 2] = [".key", ".pem"];
/// How a part of a path begins that has secrets in it, or below it.
pub const SECRET_BEGINNINGS: [&str; 2] = ["credentials", "id_rsa"];
/// What `.env` is followed by where it is there to be copied.
const SAMPLES: [&str; 4] = [".dist", ".example", ".sample", ".template"];

/// Whether a file of this name holds credentials and nothing else.
#[must_use]
pub fn holds_credentials(name: &str) -> bool {
    let is_sample = SAMPLES.iter().any(|end| name.ends_with(end));
    CREDENTIAL_FILES.contains(&name) || (name.starts_with(".env.") && !is_sample)
}

/// Whether a path says that a secret is there: what the shipped rule asks about, and what commands do not get to read.
#[must_use]
pub fn names_a_secret(path: &str) -> bool {
    let path = in_one_spelling(path);
    let name = path.rsplit('/').next().unwrap_or_default();
    holds_credentials(name)
        || SECRET_ENDINGS.iter().any(|end| name.ends_with(end))
        || path.split('/').any(|part| SECRET_BEGINNINGS.iter().any(|begin| part.starts_with(begin)))
}

/// A path in the spelling that names are compared in: lower case, each part after exactly one slash, nothing that leads up.
/// Another way to write a path must not be a way around a rule.
#[must_use]
pub fn in_one_spelling(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let mut text = String::with_capacity(path.len() + 1);
    for part in parts {
        text.push('/');
        // A line break in a name would begin another name.
        text.extend(part.chars().flat_map(char::to_lowercase).map(|letter| match letter {
            '\n' | '\r' => ' ',
            letter => letter,
        }));
    }
    text
}

#[cfg(test)]
mod tests;
