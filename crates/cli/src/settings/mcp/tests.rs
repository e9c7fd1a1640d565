//! What a file may say about other servers, and whose word it is.

use std::path::Path;

use premath_tusk::tools::Risk;
use premath_tusk::tools::foreign::Reach;

use crate::settings::{Loaded, Owner, Source, read_over};

fn read(text: &str, owner: Owner) -> Result<Loaded, String> {
    let source = Source { name: "premath.toml", folder: Path::new("/repository"), owner };
    read_over(Loaded::default(), text, &source).map_err(|error| error.message)
}

#[test]
fn a_program_is_meant_from_where_the_file_is() {
    let text = "[mcp.servers.weather]\ncommand = \"./bin/weather\"\ncwd = \"data\"\nenv = [\"KEY\"]\nrisk = \"write\"\nrisks = { forecast = \"read\" }\n";
    let loaded = read(text, Owner::Repository).unwrap();
    let server = &loaded.mcp.servers.first().unwrap().value;
    let Reach::Program { program, folder, .. } = &server.reach else { panic!("{server:?}") };
    assert_eq!(
        (Path::new(program), Path::new(folder)),
        (Path::new("/repository/./bin/weather"), Path::new("/repository/data"))
    );
    assert_eq!((server.risk_of("forecast"), server.risk_of("other")), (Risk::Read, Risk::Write));
    assert!(!server.is_own);
    assert!(read(text, Owner::Person).unwrap().mcp.servers.first().unwrap().value.is_own);
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let cases = [
        ("[mcp]\nserver = 1", "$.mcp.server"),
        ("[mcp.servers.a__b]\ncommand = \"x\"", "$.mcp.servers.a__b"),
        ("[mcp.servers.a]\nrisk = \"read\"", "expected `command`"),
        ("[mcp.servers.a]\ncommand = \"x\"\nurl = \"https://a.example\"", "not both"),
        ("[mcp.servers.a]\nurl = \"https://a.example\"\nargs = []", "belong to a server with a `command`"),
        ("[mcp.servers.a]\ncommand = \"x\"\ntoken_env = \"T\"", "belong to a server with a `url`"),
        ("[mcp.servers.a]\ncommand = \"x\"\nenv = [\"PREMATH_STEP_TOKEN\"]", "no variable that is handed"),
        ("[mcp.servers.a]\ncommand = \"x\"\nscope = \"files:read\"", "expected `mcp:`"),
        ("[mcp.servers.a]\ncommand = \"x\"\nrisk = \"none\"", "is none of read"),
        ("[mcp.servers.a]\ncommand = \"x\"\ndeadline_seconds = 0", "from 1 to"),
        ("[mcp.servers.a]\ncommand = \"x\"\nrisky = true", "there is no such key"),
    ];
    for (text, wanted) in cases {
        let refused = read(text, Owner::Repository).unwrap_err();
        assert!(refused.contains(wanted), "{text}: {refused}");
    }
}

#[test]
fn a_repository_cannot_take_the_name_of_a_server_of_the_person() {
    let source = Source { name: "mine", folder: Path::new("/home"), owner: Owner::Person };
    let mine = read_over(Loaded::default(), "[mcp.servers.a]\ncommand = \"x\"", &source).unwrap();
    let source = Source { name: "premath.toml", folder: Path::new("/r"), owner: Owner::Repository };
    let error = read_over(mine, "[mcp.servers.a]\ncommand = \"evil\"", &source).unwrap_err();
    assert!(error.message.contains("your own file has a server of this name"), "{}", error.message);
}
