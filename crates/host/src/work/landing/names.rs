//! The references of landing, and the trailers of its commits.

/// Every branch of an issue begins with this.
const BRANCHES: &str = "premath/";

/// An issue id as part of a reference: what git does not allow there is written as `%` and two digits.
pub(super) fn encoded(issue_id: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let mut name = String::new();
    for letter in issue_id.chars() {
        if is_plain(letter) {
            name.push(letter);
            continue;
        }
        let mut bytes = [0_u8; 4];
        for byte in letter.encode_utf8(&mut bytes).bytes() {
            name.push_str(&format!("%{byte:02x}"));
        }
    }
    name
}

/// The issue of an encoded name; none when no issue could have it.
pub(super) fn decoded(name: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = name.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        let digits = std::str::from_utf8(&digits).ok()?.to_owned();
        bytes.push(u8::from_str_radix(&digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// The branch that an issue is worked on.
pub(super) fn branch(issue_id: &str) -> String {
    format!("{BRANCHES}{}", encoded(issue_id))
}

/// The full name of a branch.
pub(super) fn branch_ref(branch: &str) -> String {
    format!("refs/heads/{branch}")
}

/// The commit of an issue that is about to be on the target.
pub(super) fn landing_ref(issue_id: &str) -> String {
    format!("refs/premath/landing/{}", encoded(issue_id))
}

/// The commit of a closed issue that is on the target.
pub(super) fn landed_ref(issue_id: &str) -> String {
    format!("{LANDED}{}", encoded(issue_id))
}

/// Where all of these are.
pub(super) const LANDED: &str = "refs/premath/landed/";

/// The commit that an issue was closed with.
pub(super) fn done_ref(issue_id: &str) -> String {
    format!("refs/premath/done/{}", encoded(issue_id))
}

/// What a killed step left uncommitted in its working tree.
pub(super) fn leftover_ref(worker: &str) -> String {
    format!("refs/premath/leftover/{}", encoded(worker))
}

/// The trailer that names an issue.
pub(super) fn issue_trailer(issue_id: &str) -> String {
    format!("Premath-Issue: {issue_id}")
}

#[cfg(test)]
mod tests {
    use super::{branch, decoded, encoded};

    #[test]
    fn an_issue_id_is_read_back_from_its_reference_whatever_it_is_made_of() {
        for id in ["bd-1", "bd-1.2", "a..b", "x.lock", "π", "a/b", "50%", "-"] {
            assert_eq!(decoded(&encoded(id)).as_deref(), Some(id));
        }
        assert_eq!(branch("bd-1.2"), "premath/bd-1%2e2");
        assert_eq!(decoded("%zz"), None);
        assert_eq!(decoded("%4"), None);
    }
}
