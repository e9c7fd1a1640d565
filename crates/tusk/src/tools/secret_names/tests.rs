//! Which names say that a secret is there.

use super::{CREDENTIAL_FILES, SURROUNDINGS, holds_credentials, in_one_spelling, names_a_secret};

#[test]
fn what_commands_do_not_read_is_a_secret_in_any_spelling() {
    for name in CREDENTIAL_FILES.iter().chain(&SURROUNDINGS) {
        assert!(holds_credentials(name), "{name}");
        for path in [(*name).to_owned(), format!("a/./{name}"), format!("x/../{}", name.to_uppercase())] {
            assert!(names_a_secret(&path), "{path}");
        }
    }
}

#[test]
fn keys_and_credentials_are_known_by_the_ends_of_their_names() {
    for path in ["tls/site.key", "SERVER.PEM", "keys/id_rsa.bak", "credentials/a.txt", "a/credentials.json"] {
        assert!(names_a_secret(path), "{path}");
    }
    for path in ["src/key.rs", "pem", "my_id_rsa", ".env.example", ".envrc", "credentials/../a", "keys.md"] {
        assert!(!names_a_secret(path), "{path}");
    }
}

#[test]
fn there_is_one_spelling() {
    assert_eq!(in_one_spelling("a//b/./../C\nd/"), "/a/c d");
    assert_eq!(in_one_spelling("./"), "");
}
