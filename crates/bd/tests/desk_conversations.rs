//! Conversations in the desk: their order, their limits, and what a process that dies leaves of them.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod desk_room;

use desk_room::{Room, file, open, rooms};
use premath_bd::desk::{Desk, DeskRefusalClass, LONGEST_MESSAGE, MOST_CONVERSATIONS, NewMessage};

fn say(desk: &Desk, conversation: &str, run_id: &str, text: &str) {
    let message = NewMessage { conversation, message_id: None, run_id, text, begun_by: None };
    desk.say(&message).unwrap().unwrap();
}

#[test]
fn messages_stand_in_the_order_in_which_they_were_said() {
    for Room { desk, clock, .. } in rooms() {
        let made = desk.start_conversation(None, "", "ada").unwrap().unwrap();
        assert!(made.id.starts_with("cnv_") && made.title.is_empty(), "{made:?}");
        for number in 1..=7 {
            clock.advance(1);
            say(&desk, &made.id, &format!("run-{number}"), &format!("message  {number}\nof seven"));
        }
        let found = desk.conversation(&made.id).unwrap().unwrap();
        assert_eq!((found.messages, found.title.as_str()), (7, "message 1 of seven"));
        assert!(found.updated_at > found.created_at);
        let newest = desk.messages_before(&made.id, Some(7), 2).unwrap();
        let runs: Vec<&str> = newest.iter().map(|said| said.run_id.as_str()).collect();
        assert_eq!(runs, ["run-5", "run-6"]);
        let rest = desk.messages_after(&made.id, 5, 10).unwrap();
        assert_eq!(rest.iter().map(|said| said.position).collect::<Vec<_>>(), [6, 7]);
        assert_eq!(desk.said_for("run-3").unwrap().unwrap().text, "message  3\nof seven");
        desk.unsay("run-7").unwrap();
        assert_eq!(desk.conversation(&made.id).unwrap().unwrap().messages, 6);
    }
}

#[test]
fn what_a_client_names_keeps_its_name_and_is_there_once() {
    for Room { desk, .. } in rooms() {
        desk.start_conversation(Some("aB3-x_9"), "Plans", "ada").unwrap().unwrap();
        let again = desk.start_conversation(Some("aB3-x_9"), "", "ada").unwrap();
        assert_eq!(again.unwrap_err().class, DeskRefusalClass::Invalid);
        for name in ["", "../x", "a b", &"x".repeat(65)] {
            let refused = desk.start_conversation(Some(name), "", "ada").unwrap();
            assert_eq!(refused.unwrap_err().class, DeskRefusalClass::Invalid, "{name}");
        }
        let message = NewMessage {
            conversation: "aB3-x_9",
            message_id: Some("m1"),
            run_id: "run-1",
            text: "hello",
            begun_by: None,
        };
        assert_eq!(desk.say(&message).unwrap().unwrap().message_id, "m1");
        let twice = desk.say(&NewMessage { run_id: "run-2", ..message }).unwrap();
        assert_eq!(twice.unwrap_err().class, DeskRefusalClass::Invalid);
        let found = desk.conversation("aB3-x_9").unwrap().unwrap();
        assert_eq!((found.title.as_str(), found.messages), ("Plans", 1));
    }
}

#[test]
fn there_is_a_limit_to_conversations_and_to_messages_and_none_to_their_number_in_one() {
    let Room { desk, .. } = file();
    for number in 0..MOST_CONVERSATIONS {
        desk.start_conversation(Some(&format!("c{number}")), "", "ada").unwrap().unwrap();
    }
    let refused = desk.start_conversation(None, "", "ada").unwrap().unwrap_err();
    assert_eq!(refused.class.code(), "conversation_limit");
    desk.delete_conversation("c7").unwrap().unwrap();
    desk.start_conversation(None, "", "ada").unwrap().unwrap();
    let long = "ä".repeat(LONGEST_MESSAGE);
    say(&desk, "c1", "run-1", &long);
    let longer = format!("{long}!");
    let message =
        NewMessage { conversation: "c1", message_id: None, run_id: "run-2", text: &longer, begun_by: None };
    assert_eq!(desk.say(&message).unwrap().unwrap_err().class, DeskRefusalClass::Invalid);
    let missing = desk.say(&NewMessage { conversation: "c7", text: "x", ..message }).unwrap();
    assert_eq!(missing.unwrap_err().class, DeskRefusalClass::ConversationMissing);
}

#[test]
fn a_deleted_conversation_leaves_nothing_that_was_said() {
    let Room { desk, folder, .. } = file();
    desk.start_conversation(Some("gone"), "", "ada").unwrap().unwrap();
    say(&desk, "gone", "run-1", "the passphrase is xylophone");
    desk.delete_conversation("gone").unwrap().unwrap();
    assert_eq!(desk.conversation("gone").unwrap(), None);
    assert_eq!(desk.said_for("run-1").unwrap(), None);
    let folder = folder.unwrap();
    #[expect(clippy::disallowed_methods, reason = "a test looks at the file itself")]
    let bytes = std::fs::read(folder.path().join(Desk::FILE_NAME)).unwrap();
    assert!(!bytes.windows(9).any(|window| window == b"xylophone"));
}

#[test]
fn a_run_that_keeps_nothing_leaves_no_message() {
    let Room { desk, .. } = file();
    desk.start_conversation(Some("quiet"), "Quiet", "ada").unwrap().unwrap();
    say(&desk, "quiet", "run-1", "not to be kept");
    desk.forget_payloads("run-1").unwrap();
    assert_eq!(desk.said_for("run-1").unwrap().unwrap().text, "");
}

#[test]
fn a_desk_of_the_first_version_gets_conversations() {
    let Room { desk, clock, folder } = file();
    let folder = folder.unwrap();
    drop(desk);
    let connection = rusqlite::Connection::open(folder.path().join(Desk::FILE_NAME)).unwrap();
    connection
        .execute_batch(
            "DROP TABLE messages; DROP TABLE conversations; ALTER TABLE approvals DROP COLUMN revoked_by;
             ALTER TABLE approvals DROP COLUMN revoked_at; PRAGMA user_version = 1",
        )
        .unwrap();
    drop(connection);
    let desk = open(folder.path(), &clock, "again").unwrap();
    desk.start_conversation(Some("first"), "", "ada").unwrap().unwrap();
    assert_eq!(desk.conversations().unwrap().len(), 1);
}
