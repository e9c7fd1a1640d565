//! What tools of others are to rules.

use super::*;

#[test]
fn what_nobody_knows_may_do_anything() {
    for name in ["mcp__github__delete_repo", "Skill", "mcp__premath__levitate", "mcp__premath__run_forget"] {
        assert_eq!(standing(name).1, Risk::Destructive, "{name}");
    }
    assert_eq!(standing("mcp__github__delete_repo").0, "mcp:call");
    assert_eq!(standing("Skill").0, "agent:call");
}

#[test]
fn our_own_server_is_known_by_its_actions() {
    assert_eq!(standing("mcp__premath__issue_ready"), ("issue:read".to_owned(), Risk::Read));
    assert_eq!(standing("mcp__premath__issue_update"), ("issues:write".to_owned(), Risk::Write));
    assert_eq!(standing("mcp__premath__dep_add"), ("deps:write".to_owned(), Risk::Write));
    assert_eq!(standing("mcp__premath2__issue_ready").1, Risk::Destructive);
}

#[test]
fn books_are_looks_and_the_network_is_none() {
    assert!(BOOKS.is_sorted());
    for name in BOOKS {
        assert_eq!(standing(name).1, Risk::Read, "{name}");
    }
    assert_eq!(standing("WebFetch").1, Risk::Write);
    for name in ["TodoWrite", "WebFetch", "mcp__x__y"] {
        let tool = ForeignTool::made(HookFormat::ClaudeCode, name).unwrap();
        assert_eq!(tool.spec().kind == ToolKind::Read, tool.spec().risk == Risk::Read, "{name}");
    }
}
