//! Credentials by where they stand: in an address, behind `Authorization`, near the name of a service; and tokens that are
//! encoded once more.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::edge::{After, Before, is_space};
use super::entropy::entropy_millis;
use super::set::{BASE64, DIGIT, HEX, NESTED_BASE64, PADDING, TOKEN, WORD_DASH};
use super::shape::{Part, Subject, text};

type Place = (usize, usize);

const LONGEST_USERINFO: usize = 512;

/// The password of an address, behind `://`.
pub(super) fn in_address(subject: &Subject<'_>, at: usize) -> Option<Place> {
    const HARMLESS: &[&[u8]] = &[
        b"password",
        b"passwd",
        b"secret",
        b"changeme",
        b"postgres",
        b"example",
        b"username",
        b"redacted",
        b"hunter2",
    ];
    let window = subject.slice(at, at + LONGEST_USERINFO);
    let is_end = |byte: &u8| is_space(*byte) || b"/\"'<>\\`?#".contains(byte);
    let authority = window.get(..window.iter().position(is_end).unwrap_or(window.len()))?;
    let sign = memchr::memrchr(b'@', authority)?;
    let colon = memchr(b':', authority.get(..sign)?)?;
    let password = authority.get(colon + 1..sign)?;
    let is_harmless = password.iter().any(|byte| b"${}<>*[]()".contains(byte))
        || has_bare_percent(password)
        || HARMLESS.contains(&password.to_ascii_lowercase().as_slice());
    (password.len() >= 6 && !is_harmless).then_some((at + colon + 1, at + sign))
}

/// A percent sign that is no escape begins a variable.
fn has_bare_percent(password: &[u8]) -> bool {
    let mut rest = password;
    while let Some(at) = memchr(b'%', rest) {
        let is_escape = rest.get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
        if !is_escape {
            return true;
        }
        rest = rest.get(at + 3..).unwrap_or_default();
    }
    false
}

/// The value of a header, behind `authorization`.
pub(super) fn in_header(subject: &mut Subject<'_>, at: usize) -> Option<Place> {
    const SCHEMES: &[&[u8]] = &[b"bearer ", b"basic ", b"token ", b"apikey "];
    let is_between = |byte: &u8| is_space(*byte) || b"\\\"':=".contains(byte);
    let gap = subject.slice(at, at + 8).iter().take_while(|byte| is_between(byte)).count();
    (gap > 0).then_some(())?;
    let scheme = subject.slice(at + gap, at + gap + 7).to_ascii_lowercase();
    let length = SCHEMES.iter().find(|known| scheme.starts_with(known))?.len();
    let start = at + gap + length;
    let end = subject.run_end(TOKEN, start);
    let value = subject.slice(start, end);
    let is_token = value.len() >= 20 && entropy_millis(value) > 3500;
    let is_user = length == b"basic ".len() && value.len() >= 8 && is_user_and_password(&decode(value));
    ((is_token || is_user) && After::Token.holds(subject, end)).then_some((start, end))
}

/// Whether a decoded value is `name:password`.
fn is_user_and_password(decoded: &[u8]) -> bool {
    let is_plain = decoded.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    let colon = memchr(b':', decoded);
    is_plain && colon.is_some_and(|colon| colon > 0 && decoded.len() > colon + 3)
}

/// How far a secret may be from the name of its service.
pub(super) const NEARBY: usize = 160;

/// A secret without a mark of its own behind the name of its service.
pub(super) fn nearby(subject: &mut Subject<'_>, window: Range<usize>, shape: &Nearby) -> Option<Place> {
    let mut at = window.start;
    while at < window.end {
        let byte = subject.byte(at)?;
        let end = shape.first_is(byte).then(|| subject.fits(shape.parts, at)).flatten();
        if let Some(end) = end
            && Before::Word.holds(subject, at)
            && After::Token.holds(subject, end)
            && entropy_millis(subject.slice(at, end)) > 3000
        {
            return Some((at, end));
        }
        at += 1;
    }
    None
}

/// What is looked for near a name.
#[derive(Debug)]
pub(super) struct Nearby {
    pub(super) label: &'static str,
    pub(super) word: &'static str,
    parts: &'static [Part],
    only_digits: bool,
}

impl Nearby {
    const fn first_is(&self, byte: u8) -> bool {
        if self.only_digits { byte.is_ascii_digit() } else { byte.is_ascii_hexdigit() }
    }
}

pub(super) const NEARBY_KINDS: &[Nearby] = &[
    Nearby {
        label: "facebook-access-token",
        word: "facebook",
        parts: &[
            DIGIT.between(15, 16),
            Part::OneOf(&[&[text("|")], &[text("%")]]),
            WORD_DASH.between(27, 40),
        ],
        only_digits: true,
    },
    Nearby {
        label: "sourcegraph-access-token",
        word: "sourcegraph",
        parts: &[HEX.exactly(40)],
        only_digits: false,
    },
    Nearby { label: "sourcegraph-access-token", word: "sgp_", parts: &[HEX.exactly(40)], only_digits: false },
];

/// A token of an organisation of Sentry: it names its region inside.
pub(super) fn sentry_organisation(subject: &mut Subject<'_>, start: usize) -> Option<Place> {
    const REGIONS: [&[u8]; 3] = [b"LCJyZWdpb25fdXJs", b"InJlZ2lvbl91cmwi", b"cmVnaW9uX3VybCI6"];
    let body = subject.fits(&[text("sntrys_eyJpYXQiO")], start)?;
    let end = subject.run_end(BASE64, body);
    let region = |name: &&[u8]| memmem::find(subject.slice(body, body + 220), name);
    let at = body + REGIONS.iter().find_map(region)?;
    let is_placed = (10..=200).contains(&(at - body)) && (10..=200).contains(&end.saturating_sub(at + 16));
    let end = subject.fits(&[PADDING.between(0, 2), text("_"), BASE64.exactly(43)], end)?;
    let goes_on = subject.byte(end).is_some_and(|byte| BASE64.has(byte));
    let is_random = entropy_millis(subject.slice(start, end)) > 4500;
    (is_placed && !goes_on && is_random && Before::Word.holds(subject, start)).then_some((start, end))
}

/// Members that the header of a JSON web token may begin with.
const MEMBERS: &[&str] = &[
    "alg", "apu", "apv", "aud", "b64", "crit", "cty", "epk", "enc", "jku", "jwk", "iss", "iv", "kid",
    "key_ops", "kty", "nonce", "p2c", "p2s", "ppt", "sub", "svt", "tag", "typ", "url", "use", "ver",
    "version", "x", "x5c", "x5t", "x5t#S256", "x5u", "zip",
];

/// A JSON web token that was encoded once more.
pub(super) fn encoded_token(subject: &mut Subject<'_>, start: usize) -> Option<Place> {
    const HEADER: usize = 28;
    Before::Word.holds(subject, start).then_some(())?;
    let end = subject.fits(&[text("ZXlK"), NESTED_BASE64.at_least(46), PADDING.between(0, 2)], start)?;
    let token = decode(subject.slice(start, start + HEADER));
    let is_header = |member: &str| token.starts_with(&encode(format!("{{\"{member}\":").as_bytes()));
    MEMBERS.iter().any(|member| is_header(member)).then_some((start, end))
}

/// The characters of base64 that bytes settle, whatever follows them.
fn encode(bytes: &[u8]) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = Vec::new();
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in bytes {
        held = (held << 8 | u32::from(*byte)) & 0xffff;
        bits += 8;
        while bits >= 6 {
            bits -= 6;
            let place = usize::try_from(held >> bits & 0x3f).unwrap_or_default();
            encoded.extend(ALPHABET.get(place));
        }
    }
    encoded
}

/// A bot token of Discord: the number of the bot in base64, a time and a signature, with dots between them. `start..end` is the
/// first part.
pub(super) fn discord_bot_token(subject: &mut Subject<'_>, start: usize, end: usize) -> Option<Place> {
    (subject.byte(end) == Some(b'.') && matches!(subject.byte(start), Some(b'M' | b'N' | b'O')))
        .then_some(())?;
    let number = decode(subject.slice(start, end));
    let is_number = (17..=20).contains(&number.len()) && number.iter().all(u8::is_ascii_digit);
    is_number.then_some(())?;
    let rest = [text("."), WORD_DASH.exactly(6), text("."), WORD_DASH.between(27, 40)];
    let end = subject.fits(&rest, end)?;
    After::Token.holds(subject, end).then_some((start, end))
}

/// The bytes that base64 stands for, up to the first character that is none.
fn decode(encoded: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0_u32);
    for byte in encoded {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.extend(u8::try_from(held >> bits & 0xff));
        }
    }
    bytes
}
