//! Who may be told of runs, by whose file.

use super::super::{Loaded, Owner, Source, read_over};
use super::is_local;
use std::path::Path;

fn read(text: &str, owner: Owner) -> Result<Loaded, String> {
    let source = Source { name: "premath.toml", folder: Path::new(""), owner };
    read_over(Loaded::default(), text, &source).map_err(|error| error.message)
}

#[test]
fn only_addresses_of_this_machine_are_local() {
    for local in
        ["http://127.0.0.1:4318", "http://localhost/v1", "http://[::1]:4318/v1/traces", "unix:/run/otel.sock"]
    {
        assert!(is_local(local), "{local}");
    }
    for other in [
        "http://10.0.0.1:4318",
        "https://127.0.0.1:4318",
        "http://localhost.example.org",
        "http://127.0.0.1@example.org",
        "http://127.0.0.1.example.org:80",
        "unix:relative",
        "ftp://127.0.0.1",
        "",
    ] {
        assert!(!is_local(other), "{other}");
    }
}

#[test]
fn a_repository_names_no_server_elsewhere_and_has_no_contents_told() {
    let elsewhere = "[telemetry]\notlp_endpoint = \"https://collector.example.org\"";
    assert!(read(elsewhere, Owner::Person).is_ok());
    assert!(read(elsewhere, Owner::Repository).unwrap_err().contains("own file"));
    assert!(read("[telemetry]\ncontents = true", Owner::Repository).unwrap_err().contains("own file"));
    assert!(read("[telemetry]\ncontents = true", Owner::Person).unwrap().settings.telemetry.contents());
    assert!(
        read("[telemetry]\nprocessor = \"http://10.0.0.1\"", Owner::Person)
            .unwrap_err()
            .contains("this machine")
    );
    assert!(read("[telemetry]\nendpiont = \"x\"", Owner::Person).unwrap_err().contains("no such key"));
}
