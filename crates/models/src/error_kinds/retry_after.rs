//! When a provider wants to be asked again. A date is taken against the date of the same answer, so that no clock of ours
//! is needed and none of theirs has to agree with it.

use std::time::Duration;

/// Reads `retry-after-ms`, else `retry-after` in seconds or as a date.
#[must_use]
pub fn retry_after(headers: &[(String, String)]) -> Option<Duration> {
    let find = |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim());
    if let Some(wait) = find("retry-after-ms").and_then(|text| parse_decimal(text, 1)) {
        return Some(wait);
    }
    let text = find("retry-after")?;
    parse_decimal(text, 1000).or_else(|| {
        let (then, now) = (seconds_of_date(text)?, seconds_of_date(find("date")?)?);
        Some(Duration::from_secs(then.saturating_sub(now)))
    })
}

/// A count of units, each of so many milliseconds; what is finer than a millisecond rounds up, so that nobody is early.
fn parse_decimal(text: &str, millis_per_unit: u64) -> Option<Duration> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let thousandths: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let rest = fraction.bytes().skip(3).any(|digit| digit != b'0');
    let finer = (thousandths + u64::from(rest)).saturating_mul(millis_per_unit).div_ceil(1000);
    let millis = whole.parse::<u64>().ok()?.saturating_mul(millis_per_unit).saturating_add(finer);
    Some(Duration::from_millis(millis))
}

/// Seconds since the year 1 of `Sun, 06 Nov 1994 08:49:37 GMT`; only differences mean something.
fn seconds_of_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const DAYS_BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    let mut fields = text.split_once(", ")?.1.split(' ');
    let day: u64 = fields.next()?.parse().ok().filter(|day| (1..=31).contains(day))?;
    let month = fields.next()?;
    let month = MONTHS.iter().position(|known| *known == month)?;
    let year: u64 = fields.next()?.parse().ok().filter(|year| (1..=9999).contains(year))?;
    let mut clock = fields.next()?.split(':').map(str::parse::<u64>);
    let mut part = |limit: u64| clock.next()?.ok().filter(|value| *value < limit);
    let seconds = part(24)? * 3600 + part(60)? * 60 + part(61)?;
    if fields.next() != Some("GMT") || fields.next().is_some() {
        return None;
    }
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let past = year - 1;
    let leap_days = past / 4 - past / 100 + past / 400 + u64::from(is_leap && month > 1);
    let days = past * 365 + leap_days + DAYS_BEFORE.get(month)? + day;
    Some(days * 86_400 + seconds)
}
