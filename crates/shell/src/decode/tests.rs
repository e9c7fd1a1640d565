//! Encodings.

use super::*;

#[test]
fn encodings_are_read_as_programs_read_them() {
    assert_eq!(base64("cm0gLXJmIC8=").as_deref(), Some("rm -rf /"));
    assert_eq!(base64("cm0g\nLXJmIC8").as_deref(), Some("rm -rf /"));
    assert_eq!(base64("cm0!"), None);
    assert_eq!(base32("OJWSALLSMYQC6===").as_deref(), Some("rm -rf /"));
    assert_eq!(hexadecimal("726d 202d7266").as_deref(), Some("rm -rf"));
    assert_eq!(ansi_c(r"\162\155 \x2drf \u002f\n"), "rm -rf /\n");
    assert_eq!(echo_escapes(r"\0162m"), "rm");
    assert_eq!(printf(r"\x72%s %b\n", &["m".to_owned(), r"\055rf".to_owned()]).as_deref(), Some("rm -rf\n"));
    assert_eq!(printf("%s,", &["a".to_owned(), "b".to_owned()]).as_deref(), Some("a,b,"));
    assert_eq!(translate("ez -es", "a-z", Some("n-za-m")).as_deref(), Some("rm -rf"));
    assert_eq!(translate("rXm", "X", None).as_deref(), Some("rm"));
}
