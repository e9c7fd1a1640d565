//! What is admitted: nothing without its pin, and nothing under another tool's name.

use premath_kernel::Digest;

use super::{Admission, BlockedClass, admit, offered_name};
use crate::JsonText;
use crate::tools::Risk;
use crate::tools::foreign::{ForeignDefinition, ForeignServer, Reach};

fn server() -> ForeignServer {
    let reach = Reach::Program {
        program: "weather".to_owned(),
        arguments: Vec::new(),
        environment: Vec::new(),
        folder: "/".to_owned(),
    };
    ForeignServer::new("weather", reach)
}

fn definition(name: &str, schema: &str) -> ForeignDefinition {
    ForeignDefinition {
        name: name.to_owned(),
        title: None,
        description: Some("Weather of a town.".to_owned()),
        input_schema: JsonText::new(schema).unwrap(),
        output_schema: None,
        annotations: Some(JsonText::new(r#"{"readOnlyHint": true}"#).unwrap()),
    }
}

fn admitted(server: &ForeignServer, listed: &[ForeignDefinition]) -> Admission {
    let pin = |name: &str| listed.iter().find(|one| one.name == name).map(|one| one.pin(server));
    admit(server, listed, &pin)
}

fn classes(admission: &Admission) -> Vec<BlockedClass> {
    admission.blocked.iter().map(|one| one.class).collect()
}

const OBJECT: &str = r#"{"type": "object"}"#;

#[test]
fn the_risk_is_ours_and_destructive_when_nobody_says() {
    let mut server = server();
    let listed = [definition("forecast", OBJECT), definition("storms", OBJECT)];
    server.risks.insert("storms".to_owned(), Risk::Read);
    let risks: Vec<Risk> = admitted(&server, &listed).tools.iter().map(|tool| tool.spec.risk).collect();
    assert_eq!(risks, [Risk::Destructive, Risk::Read]);
}

#[test]
fn another_server_command_or_term_is_another_pin() {
    let (one, definition) = (server(), definition("forecast", OBJECT));
    let mut others = vec![ForeignServer { scope: "mcp:all".to_owned(), ..server() }];
    others.push(ForeignServer { risk: Risk::Read, ..server() });
    others.push(ForeignServer { idempotent: vec!["forecast".to_owned()], ..server() });
    for change in 0..4 {
        let mut other = server();
        if let Reach::Program { program, arguments, environment, folder } = &mut other.reach {
            match change {
                0 => program.push('2'),
                1 => arguments.push("-v".to_owned()),
                2 => environment.push("KEY".to_owned()),
                _folder => folder.push_str("tmp"),
            }
        }
        others.push(other);
    }
    let pins: std::collections::BTreeSet<String> =
        others.iter().chain([&one]).map(|server| definition.pin(server).as_str().to_owned()).collect();
    assert_eq!(pins.len(), 8);
}

#[test]
fn a_schema_of_an_older_dialect_is_read_and_one_that_refers_elsewhere_is_not() {
    let older = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "type": "object"}"#;
    let elsewhere = r##"{"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}"##;
    let admission = admitted(&server(), &[definition("a", older), definition("b", elsewhere)]);
    assert_eq!(admission.tools.len(), 1);
    assert_eq!(classes(&admission), [BlockedClass::SchemaUnusable]);
}

#[test]
fn allow_and_deny_lists_leave_tools_out_before_anything_else() {
    let server = ForeignServer {
        allow: Some(vec!["a".to_owned(), "b".to_owned()]),
        deny: vec!["b".to_owned()],
        ..server()
    };
    let listed = ["a", "b", "c"].map(|name| definition(name, OBJECT));
    let admission = admitted(&server, &listed);
    assert_eq!((admission.tools.len(), admission.blocked.len()), (1, 0));
}

#[test]
fn what_is_blocked_has_the_class_of_what_is_wrong() {
    let server = server();
    let nobody = admit(&server, &[definition("a", OBJECT)], &|_| None);
    assert_eq!(classes(&nobody), [BlockedClass::Unpinned]);
    let other = admit(&server, &[definition("a", OBJECT)], &|_| Some(Digest::of_bytes(b"another")));
    assert_eq!(classes(&other), [BlockedClass::Drift]);
    let twins = admitted(&server, &[definition("a.b", OBJECT), definition("a/b", OBJECT)]);
    assert_eq!(classes(&twins), [BlockedClass::NameClash; 2]);
    let long = admitted(&server, &[definition(&"a".repeat(60), OBJECT)]);
    assert_eq!(classes(&long), [BlockedClass::NameInvalid]);
    let codes: std::collections::BTreeSet<_> = BlockedClass::ALL.map(BlockedClass::code).into();
    assert_eq!(codes.len(), BlockedClass::ALL.len());
}

#[test]
fn a_definition_comes_back_from_its_value_and_keeps_its_pin() {
    let (server, one) = (server(), definition("forecast", OBJECT));
    let again = ForeignDefinition::from_value(&one.to_value()).unwrap();
    assert_eq!(again.pin(&server), one.pin(&server));
}

#[test]
fn letters_that_a_provider_refuses_are_mapped() {
    assert_eq!(offered_name("weather", "get.the/forecast ü"), "weather__get_the_forecast__");
}
