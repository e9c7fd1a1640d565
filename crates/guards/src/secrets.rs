//! Secrets: keys, tokens and passwords, known by their look, by their names or by where they stand.
//!
//! One pass over the text finds the places worth a look; each look is bounded. Kinds are data in `marked` and `named`.
//! It must not keep, print or return what it found: only where, and what kind.

mod assignment;
mod commands;
mod connection;
mod credentials;
mod documents;
mod edge;
mod encoded;
mod entropy;
mod marked;
mod named;
mod passwords;
mod scan;
mod set;
mod shape;
#[cfg(test)]
mod tests;
mod unnamed;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use premath_tusk::policy::Finding;

use self::commands::Flag;
use self::marked::Marked;
use self::named::Named;
use self::scan::Scan;

/// Why a place is worth a look.
#[derive(Debug, Clone, Copy)]
enum Clue {
    /// The mark of a kind.
    Mark(&'static Marked),
    /// The name that a kind needs.
    Name(&'static Named),
    /// A name whose value is a secret whatever it looks like.
    Word,
    /// A name whose value may be a short secret.
    Password,
    /// The name of a service, by its number.
    Nearby(usize),
    KeyBegin,
    KeyEnd,
    Curl,
    CurlFlag(Flag),
    ManifestKind,
    ManifestData,
    ManifestEnd,
    NugetSetting,
    FreemiusKey,
    Address,
    Header,
    SentryOrganisation,
    EncodedToken,
    /// A key of a connection string: what follows on its line may be the password.
    ConnectionKey,
    ConnectionPassword,
    /// `login` of a `.netrc` file.
    NetrcLogin,
    NetrcPassword,
}

/// Words with a look of their own.
const OTHER_CLUES: &[(&str, Clue)] = &[
    ("password", Clue::Password),
    ("passwd", Clue::Password),
    ("passphrase", Clue::Password),
    ("passcode", Clue::Password),
    ("pwd", Clue::Password),
    ("server=", Clue::ConnectionKey),
    ("data source=", Clue::ConnectionKey),
    ("host=", Clue::ConnectionKey),
    ("user id=", Clue::ConnectionKey),
    ("uid=", Clue::ConnectionKey),
    ("user=", Clue::ConnectionKey),
    ("username=", Clue::ConnectionKey),
    ("jdbc:", Clue::ConnectionKey),
    ("password=", Clue::ConnectionPassword),
    ("pwd=", Clue::ConnectionPassword),
    ("login ", Clue::NetrcLogin),
    ("password ", Clue::NetrcPassword),
    ("-----begin", Clue::KeyBegin),
    ("key-----", Clue::KeyEnd),
    ("key block-----", Clue::KeyEnd),
    ("curl", Clue::Curl),
    ("-h", Clue::CurlFlag(Flag::Header)),
    ("--header", Clue::CurlFlag(Flag::Header)),
    ("-u", Clue::CurlFlag(Flag::User)),
    ("--user", Clue::CurlFlag(Flag::User)),
    ("kind:", Clue::ManifestKind),
    ("data:", Clue::ManifestData),
    ("\n---", Clue::ManifestEnd),
    ("\\n---", Clue::ManifestEnd),
    ("<add key=", Clue::NugetSetting),
    ("secret_key", Clue::FreemiusKey),
    ("://", Clue::Address),
    ("authorization", Clue::Header),
    ("sntrys_eyjpyxqio", Clue::SentryOrganisation),
    ("zxlk", Clue::EncodedToken),
];

/// What finds the clues.
#[derive(Debug)]
struct Clues {
    automaton: AhoCorasick,
    by_pattern: Vec<Vec<Clue>>,
}

static CLUES: LazyLock<Option<Clues>> = LazyLock::new(build);

fn build() -> Option<Clues> {
    let mut patterns: BTreeMap<String, Vec<Clue>> = BTreeMap::new();
    let mut add = |text: &str, clue: Clue| patterns.entry(text.to_ascii_lowercase()).or_default().push(clue);
    for kind in marked::kinds() {
        kind.anchors.iter().for_each(|anchor| add(anchor, Clue::Mark(kind)));
    }
    for kind in named::kinds() {
        kind.words.iter().for_each(|word| add(word, Clue::Name(kind)));
    }
    for (number, kind) in credentials::NEARBY_KINDS.iter().enumerate() {
        add(kind.word, Clue::Nearby(number));
    }
    unnamed::WORDS.iter().for_each(|word| add(word, Clue::Word));
    OTHER_CLUES.iter().for_each(|(text, clue)| add(text, *clue));
    let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(patterns.keys()).ok()?;
    Some(Clues { automaton, by_pattern: patterns.into_values().collect() })
}

/// Whether secrets can be looked for at all: a table that does not compile finds nothing, and must not pass for clean.
pub(crate) fn is_ready() -> bool {
    CLUES.is_some()
}

/// Every secret of a text, in order; none overlap. Those that are encoded are found with everything that encodes them.
pub(crate) fn find(text: &str) -> Vec<Finding> {
    let mut found = plain(text);
    let encoded = encoded::find(text, plain);
    if encoded.is_empty() {
        return found;
    }
    found.extend(encoded);
    let place = |finding: &Finding| finding.span.clone().unwrap_or(0..0);
    found.sort_by_key(|finding| (place(finding).start, std::cmp::Reverse(place(finding).end)));
    let mut apart: Vec<Finding> = Vec::new();
    for next in found {
        match apart.last_mut() {
            Some(last) if place(&next).start < place(last).end => {
                last.span = Some(place(last).start..place(last).end.max(place(&next).end));
            }
            Some(_) | None => apart.push(next),
        }
    }
    apart
}

/// The secrets that stand in a text as they are.
fn plain(text: &str) -> Vec<Finding> {
    let Some(clues) = CLUES.as_ref() else { return Vec::new() };
    let mut scan = Scan::new(text);
    for hit in clues.automaton.find_overlapping_iter(text) {
        for clue in clues.by_pattern.get(hit.pattern().as_usize()).into_iter().flatten() {
            scan.look(*clue, hit.start(), hit.end());
        }
    }
    scan.finish()
}

/// The labels of every kind, sorted.
pub(crate) fn labels() -> Vec<&'static str> {
    let kinds = marked::kinds().map(|kind| kind.label);
    let mut all: Vec<&str> = kinds.chain(named::kinds().map(|kind| kind.label)).collect();
    all.extend(credentials::NEARBY_KINDS.iter().map(|kind| kind.label));
    all.extend(scan::OTHER_LABELS);
    all.sort_unstable();
    all.dedup();
    all
}
