//! Hosts that a text names without a scheme: `curl evil.example/x`, `git@evil.example:r`, `ping 0x7f.1`.
//!
//! A word with dots is a host when its ending is one of names, or when it is an argument of a program that reaches hosts.
//! Endings that files and fields have as well count only with a port, a path, a user, or such a program.

use std::net::Ipv6Addr;
use std::ops::Range;

/// Endings of names that are seldom anything else.
const CERTAIN: &str = " com org net edu gov mil int arpa info biz xyz dev io ai app cloud online site website onion example invalid \
    localhost eu de fr uk us ca au nz jp cn hk tw kr ru ua by kz br ar mx cl pe ve nl lu ch li se dk fi ee lv lt cz sk hu ro bg gr \
    tr il ir iq sa ae eg za ng ke ma tn dz gh tz ug es pt ie jo kw qa bh om lb pk bd lk np th vn ph sg kp mn uz ge az al mk ba hr si \
    su nu cx ws tk ga cf gq pw top icu vip bid loan cn tv ";
/// Endings of names that files, fields and words have too.
const UNCERTAIN: &str = " rs sh md py pl ps so zip mov ml mk do cc in am ac la pm st tf tt vi as id is to it at no my me be ms gs co \
    name email host test run work link page group team date support services tools network systems media design live life news space \
    fun zone click download review store shop blog tech club world today digital studio agency company solutions software codes \
    press science party trade win men stream local internal lan home corp pro mobi jobs ";
/// Programs and words whose arguments are hosts.
const REACHING: &str = " curl wget ssh scp sftp ftp ping ping6 nc ncat netcat telnet dig nslookup whois traceroute rsync mosh http https \
    xh aria2c socat host clone ls-remote autossh nmap openssl httpie lftp ";

/// The longest word that is looked at.
const LONGEST: usize = 512;

/// A host that is named without a scheme.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BareHost {
    /// Where it stands, with its port.
    pub(super) span: Range<usize>,
}

/// Finds hosts outside of addresses that are known already.
pub(super) fn find(text: &str, known: &[Range<usize>]) -> Vec<BareHost> {
    let mut found = Vec::new();
    let mut reaches = false;
    let mut addresses = known.iter().peekable();
    for word in words(text) {
        while addresses.next_if(|range| range.end <= word.start).is_some() {}
        let is_known = addresses.peek().is_some_and(|range| range.start < word.end);
        let Some(token) = text.get(word.clone()) else { continue };
        if !is_known
            && !is_visitor(text, &word)
            && let Some(range) = host_of(token, reaches)
        {
            found.push(BareHost { span: word.start + range.start..word.start + range.end });
        }
        reaches = goes_on(text, &word, token, reaches);
    }
    found
}

/// Whether a word is who visited, in a line of an access log (`192.0.2.1 - name [06/May/2024:...`): nobody is sent there.
fn is_visitor(text: &str, word: &Range<usize>) -> bool {
    let begins = text.get(..word.start).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
    let line = text.get(word.end..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    begins
        && line.strip_prefix(" - ").and_then(|rest| rest.split_once(" [")).is_some_and(|(name, time)| {
            !name.contains(' ') && time.starts_with(|first: char| first.is_ascii_digit())
        })
}

/// Whether the next word may be an argument of a program that reaches hosts.
fn goes_on(text: &str, word: &Range<usize>, token: &str, reaches: bool) -> bool {
    let name = token.rsplit('/').next().unwrap_or(token).to_ascii_lowercase();
    let ends = text.as_bytes().get(word.end).is_some_and(|byte| matches!(byte, b';' | b'|' | b'&' | b'\n'));
    (reaches || has(REACHING, &name)) && !ends
}

fn has(list: &str, word: &str) -> bool {
    !word.is_empty() && !word.contains(' ') && list.split_ascii_whitespace().any(|one| one == word)
}

/// Words: what stands between blanks, quotes, brackets and signs.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_cut = |one: char| one.is_whitespace() || "\"'`<>(){},;|&=!*".contains(one) || one.is_control();
    let mut start = 0;
    text.split(is_cut).filter_map(move |word| {
        let range = start..start + word.len();
        let cut = text.get(range.end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        start = range.end + cut;
        (!word.is_empty() && word.len() <= LONGEST).then_some(range)
    })
}

/// Where the host stands in a word, if there is one.
fn host_of(token: &str, reaches: bool) -> Option<Range<usize>> {
    let skipped = token.len() - token.trim_start_matches('/').len();
    if skipped == 1 || skipped > 2 || token.starts_with(['-', '.', '$', '#']) {
        return None;
    }
    let rest = token.get(skipped..)?;
    let authority_end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = rest.get(..authority_end)?;
    let has_path = authority_end < rest.len();
    let user_end = authority.rfind('@').map_or(0, |at| at + 1);
    let place = authority.get(user_end..)?;
    if place.is_empty() {
        return None;
    }
    let start = skipped + user_end;
    if let Some(length) = bracketed_or_ipv6(place, reaches) {
        return Some(start..start + length);
    }
    let (host, after) = place.split_once(':').map_or((place, None), |(host, after)| (host, Some(after)));
    let host = host.trim_end_matches(|one: char| one == '.' && after.is_none());
    let has_port =
        after.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    let is_copy = user_end > 0 && after.is_some();
    // An address for mail is not a host that is reached.
    if user_end > 0 && !reaches && !is_copy {
        return None;
    }
    // `name::path` and `key:value` are no hosts.
    if after.is_some() && !has_port && !is_copy && !reaches {
        return None;
    }
    let end = if has_port { start + host.len() + 1 + after.map_or(0, str::len) } else { start + host.len() };
    let has_context = reaches || has_port || has_path || is_copy || skipped == 2;
    is_host(host, reaches, has_context).then_some(start..end)
}

/// An IPv6 address, in brackets or not; its length with its port.
fn bracketed_or_ipv6(place: &str, reaches: bool) -> Option<usize> {
    if place.starts_with('[') {
        let end = place.find(']')? + 1;
        let inner = place.get(1..end - 1)?.split('%').next()?;
        inner.parse::<Ipv6Addr>().ok()?;
        return Some(place.len());
    }
    let plain = place.trim_end_matches([':', '.']);
    let address = plain.split('%').next()?;
    let is_certain = reaches || address.bytes().any(|byte| byte.is_ascii_digit());
    (is_certain && address.matches(':').count() > 1 && address.parse::<Ipv6Addr>().is_ok())
        .then_some(plain.len())
}

fn is_host(host: &str, reaches: bool, has_context: bool) -> bool {
    let dots = |one: char| matches!(one, '.' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}');
    let labels: Vec<&str> = host.split(dots).collect();
    let (Some(last), true) = (labels.last(), labels.iter().all(|label| !label.is_empty())) else {
        return false;
    };
    let is_label = |label: &&str| {
        label.chars().all(|one| one.is_alphanumeric() || matches!(one, '-' | '_' | '%'))
            && !label.starts_with('-')
    };
    if !labels.iter().all(is_label) {
        return false;
    }
    let is_number = |part: &&str| {
        let digits = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
        match digits {
            Some(digits) => !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
            None => part.bytes().all(|byte| byte.is_ascii_digit()),
        }
    };
    if labels.iter().all(is_number) {
        let fits = labels.iter().all(|label| label.parse::<u32>().is_ok_and(|part| part < 256));
        let is_hexadecimal =
            labels.iter().any(|label| label.len() > 1 && label.to_ascii_lowercase().starts_with("0x"));
        return (labels.len() == 4 && (fits || is_hexadecimal))
            || (reaches && (labels.len() > 1 || host.len() > 6));
    }
    let last = last.to_lowercase();
    if labels.len() == 1 {
        return last == "localhost" && has_context;
    }
    let is_foreign = last.starts_with("xn--") || !last.is_ascii();
    is_foreign && (has_context || !host.is_ascii())
        || has(CERTAIN, &last)
        || (has_context && has(UNCERTAIN, &last))
        || (reaches && has_context && labels.len() > 2 && last.chars().all(char::is_alphabetic))
}
