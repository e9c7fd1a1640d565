//! The one spelling of names.

use super::push;

fn line(name: &str) -> String {
    let mut text = String::new();
    push(&mut text, name);
    text
}

#[test]
fn another_way_to_write_a_path_is_the_same_line() {
    for name in [".env", "./.env", "/.env", "a/../.env", ".env/", ".env/.", ".//.ENV", ".env/x/.."] {
        assert_eq!(line(name), "/.env\n", "{name}");
    }
}

#[test]
fn a_name_is_always_one_line() {
    assert_eq!(line("a\n/.env\r"), "/a /.env \n");
    assert_eq!(line(""), "\n");
}
