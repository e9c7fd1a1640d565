//! One pass over one text: each clue is followed, what it leads to is kept, overlaps become one finding.

use premath_tusk::policy::Finding;

use super::Clue;
use super::assignment::{self, Values};
use super::commands::{self, Flag};
use super::documents::Manifests;
use super::edge::{After, Before};
use super::entropy::entropy_millis;
use super::marked::Marked;
use super::named::Named;
use super::shape::Subject;
use super::{connection, credentials, documents, passwords, unnamed};

/// Labels that are in no table.
pub(super) const OTHER_LABELS: [&str; 14] = [
    AUTHORIZATION,
    CONNECTION,
    CURL_HEADER,
    CURL_USER,
    DISCORD,
    FREEMIUS,
    GENERIC,
    KUBERNETES,
    NESTED_JWT,
    NETRC,
    NUGET,
    PASSWORD,
    PRIVATE_KEY,
    URL_CREDENTIALS,
];
const AUTHORIZATION: &str = "authorization-header";
const CONNECTION: &str = "connection-string-password";
const CURL_HEADER: &str = "curl-auth-header";
const CURL_USER: &str = "curl-auth-user";
pub(super) const DISCORD: &str = "discord-bot-token";
const FREEMIUS: &str = "freemius-secret-key";
const GENERIC: &str = "generic-api-key";
const KUBERNETES: &str = "kubernetes-secret";
const NESTED_JWT: &str = "jwt-base64";
const NETRC: &str = "netrc-password";
const NUGET: &str = "nuget-config-password";
const PASSWORD: &str = "password";
const PRIVATE_KEY: &str = "private-key";
const SENTRY: &str = "sentry-org-token";
const URL_CREDENTIALS: &str = "url-credentials";

/// What one place turned out to be.
#[derive(Debug)]
struct Found {
    label: &'static str,
    start: usize,
    end: usize,
}

impl Found {
    /// A kind that says less gives way to one that says more.
    fn rank(&self) -> u8 {
        match self.label {
            GENERIC => 0,
            PASSWORD => 1,
            AUTHORIZATION | URL_CREDENTIALS | CONNECTION | NETRC | CURL_HEADER | CURL_USER | KUBERNETES => 2,
            _ => 3,
        }
    }
}

/// One pass.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    subject: Subject<'t>,
    found: Vec<Found>,
    /// How far marked secrets were found: what begins inside one is part of it.
    covered: usize,
    /// The last assignment that was read, by the end of its name's word: many kinds share a word.
    assigned: Option<(usize, Option<Values>)>,
    curl: Option<usize>,
    /// Behind the last key of a connection string.
    connection: Option<usize>,
    /// Behind the last `login` of a `.netrc` line.
    login: Option<usize>,
    key_begins: Vec<usize>,
    key_ends: Vec<usize>,
    manifests: Manifests,
    /// How far was looked near names of services.
    nearby: [usize; credentials::NEARBY_KINDS.len()],
}

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            subject: Subject::new(text),
            found: Vec::new(),
            covered: 0,
            assigned: None,
            curl: None,
            connection: None,
            login: None,
            key_begins: Vec::new(),
            key_ends: Vec::new(),
            manifests: Manifests::default(),
            nearby: [0; credentials::NEARBY_KINDS.len()],
        }
    }

    /// Follows a clue.
    pub(super) fn look(&mut self, clue: Clue, start: usize, end: usize) {
        match clue {
            Clue::Mark(kind) => self.marked(kind, start),
            Clue::Name(kind) => self.named(kind, end),
            Clue::Word => self.unnamed(start, end),
            Clue::Password => self.password(start, end),
            Clue::ConnectionKey => self.connection = Some(end),
            Clue::ConnectionPassword => {
                self.keep(CONNECTION, connection::password(&self.subject, self.connection, start, end));
            }
            Clue::NetrcLogin => self.login = Some(end),
            Clue::NetrcPassword => {
                self.keep(NETRC, connection::netrc_password(&self.subject, self.login, start, end));
            }
            Clue::Nearby(number) => self.near(number, end),
            Clue::KeyBegin => self.key_begins.push(start),
            Clue::KeyEnd => self.key_ends.push(end),
            Clue::Curl => {
                if Before::Word.holds(&self.subject, start) && After::Word.holds(&self.subject, end) {
                    self.curl = Some(end);
                }
            }
            Clue::CurlFlag(flag) => self.curl_flag(flag, start, end),
            Clue::ManifestKind => self.manifests.kinds.push((start, end)),
            Clue::ManifestData if Before::Word.holds(&self.subject, start) => self.manifests.data.push(end),
            Clue::ManifestData => {}
            Clue::ManifestEnd => self.manifests.separators.push(start),
            Clue::NugetSetting => self.keep(NUGET, documents::nuget(&self.subject, end)),
            Clue::FreemiusKey => self.keep(FREEMIUS, documents::freemius(&self.subject, end)),
            Clue::Address => self.keep(URL_CREDENTIALS, credentials::in_address(&self.subject, end)),
            Clue::Header => {
                let found = credentials::in_header(&mut self.subject, end);
                self.keep(AUTHORIZATION, found);
            }
            Clue::SentryOrganisation => {
                let found = credentials::sentry_organisation(&mut self.subject, start);
                self.keep(SENTRY, found);
            }
            Clue::EncodedToken => {
                let found = credentials::encoded_token(&mut self.subject, start);
                self.keep(NESTED_JWT, found);
            }
        }
    }

    /// What was found, in order, without overlaps.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        let mut covered = 0;
        for begin in std::mem::take(&mut self.key_begins) {
            if begin >= covered
                && let Some(place) = documents::private_key(&self.subject, begin, &self.key_ends)
            {
                covered = place.1;
                self.keep(PRIVATE_KEY, Some(place));
            }
        }
        for place in self.manifests.values(&mut self.subject) {
            self.found.push(Found { label: KUBERNETES, start: place.0, end: place.1 });
        }
        self.found.sort_by_key(|found| (found.start, std::cmp::Reverse(found.end)));
        let mut merged: Vec<Found> = Vec::new();
        for next in self.found {
            match merged.last_mut().filter(|last| next.start < last.end) {
                Some(last) => {
                    if next.rank() > last.rank() {
                        last.label = next.label;
                    }
                    last.end = last.end.max(next.end);
                }
                None => merged.push(next),
            }
        }
        let finding =
            |found: Found| Finding { label: found.label.to_owned(), span: Some(found.start..found.end) };
        merged.into_iter().map(finding).collect()
    }

    fn keep(&mut self, label: &'static str, place: Option<(usize, usize)>) {
        if let Some((start, end)) = place {
            self.found.push(Found { label, start, end });
        }
    }

    fn marked(&mut self, kind: &Marked, anchor: usize) {
        let digits = self.subject.digits_before(anchor, kind.leading_digits);
        let start = anchor.checked_sub(kind.back + digits).filter(|start| *start >= self.covered);
        let Some(start) = start else { return };
        if !kind.before.holds(&self.subject, start) {
            return;
        }
        let Some(end) = self.subject.fits(kind.parts, start) else { return };
        if !kind.after.holds(&self.subject, end) {
            return;
        }
        let value = self.subject.slice(start, end);
        if entropy_millis(value) > kind.entropy_millis && !is_example(value) {
            self.covered = end;
            self.keep(kind.label, Some((start, end)));
        }
    }

    fn values(&mut self, word_end: usize) -> Option<Values> {
        if let Some((known, values)) = self.assigned
            && known == word_end
        {
            return values;
        }
        let values = assignment::values(&self.subject, word_end);
        self.assigned = Some((word_end, values));
        values
    }

    fn named(&mut self, kind: &Named, word_end: usize) {
        let Some(values) = self.values(word_end) else { return };
        let subject = &mut self.subject;
        let found = values.starts().find_map(|start| {
            let end = subject.fits(kind.parts, start)?;
            let is_secret = After::Token.holds(subject, end)
                && (kind.entropy_millis == 0
                    || entropy_millis(subject.slice(start, end)) > kind.entropy_millis);
            (is_secret && !unnamed::is_placeholder(subject.slice(start, end))).then_some((start, end))
        });
        self.keep(kind.label, found);
    }

    fn password(&mut self, word: usize, word_end: usize) {
        let quoted = self.values(word_end);
        let quoted = quoted.and_then(|values| passwords::find_quoted(&mut self.subject, &values));
        let found = quoted.or_else(|| passwords::find_mixed(&self.subject, word, word_end));
        self.keep(PASSWORD, found);
    }

    fn unnamed(&mut self, word: usize, word_end: usize) {
        let Some(values) = self.values(word_end) else { return };
        let found = unnamed::find(&mut self.subject, word, &values);
        self.keep(GENERIC, found);
    }

    fn near(&mut self, number: usize, end: usize) {
        let Some(kind) = credentials::NEARBY_KINDS.get(number) else { return };
        let Some(looked) = self.nearby.get_mut(number) else { return };
        let from = end.max(*looked);
        let found = credentials::nearby(&mut self.subject, from..end + credentials::NEARBY, kind);
        *looked = end + credentials::NEARBY;
        self.keep(kind.label, found);
    }

    fn curl_flag(&mut self, flag: Flag, start: usize, end: usize) {
        let found = commands::find(&mut self.subject, flag, self.curl, (start, end));
        let label = match flag {
            Flag::Header => CURL_HEADER,
            Flag::User => CURL_USER,
        };
        self.keep(label, found);
    }
}

/// Keys of documentation say so; a short token of letters only is an identifier.
fn is_example(value: &[u8]) -> bool {
    let is_method = value.starts_with(b"s.") && value.iter().skip(2).all(u8::is_ascii_alphabetic);
    is_method || value.ends_with(b"EXAMPLE") || unnamed::is_placeholder(value)
}
