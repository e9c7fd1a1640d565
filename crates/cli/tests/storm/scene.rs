//! Generated scenarios: a few turns of reading, noting, asking for changes and getting it wrong, with faults on the way.

use premath_testkit::faulty_disk::Seeded;

/// A scenario as its file says it. Every effect writes its own id, so that one that happens twice is seen.
pub(crate) fn scenario(seed: &mut Seeded) -> String {
    let mut text = "name = \"storm\"\n".to_owned();
    conversation(seed, &mut text, "turn", "c");
    text
}

/// The same with words of their own for two workers, `left` and `right`.
pub(crate) fn crowd(seed: &mut Seeded) -> String {
    let mut text = "name = \"storm\"\n".to_owned();
    for model in ["left", "right"] {
        text.push_str(&format!("[[conversation]]\nwhen = {{ model = \"{model}\" }}\n"));
        conversation(seed, &mut text, "conversation.turn", model);
    }
    conversation(seed, &mut text, "turn", "c");
    text
}

fn conversation(seed: &mut Seeded, text: &mut String, table: &str, prefix: &str) {
    for turn in 0..seed.below(5) + 2 {
        text.push_str(&format!("[[{table}]]\ntext = \"turn {turn}\"\n"));
        let calls = seed.below(4) + 1;
        fault(seed, text);
        for number in 0..calls {
            call(seed, text, table, &format!("{prefix}{turn}_{number}"));
        }
    }
    // Turns that were refused and gone on from need answers too.
    for end in 0..8 {
        text.push_str(&format!("[[{table}]]\ntext = \"end {end}\"\n"));
    }
}

fn fault(seed: &mut Seeded, text: &mut String) {
    let faults = [
        "{ kind = \"rate_limit\", retry_after = 0 }",
        "{ kind = \"server_error\" }",
        "{ kind = \"overloaded\" }",
        "{ kind = \"cut\", at_byte = 200 }",
        "{ kind = \"cut\", at_byte = 900 }",
        "{ kind = \"malformed_json\", at_event = 3 }",
        "{ kind = \"stall\", after_byte = 300 }",
        "{ kind = \"wrong_tool_id\" }",
        "{ kind = \"cut_arguments\" }",
    ];
    if seed.below(3) == 0 {
        let at = seed.below(faults.len());
        text.push_str(&format!("fault = [{}]\n", faults.get(at).unwrap()));
    }
}

fn call(seed: &mut Seeded, text: &mut String, table: &str, id: &str) {
    let (tool, arguments) = match seed.below(8) {
        0..=2 => ("shell", format!("{{ command = \"echo {id} >> effects.log\", workdir = \".\" }}")),
        3 | 4 => ("fs_read", format!("{{ path = \"a.txt\", limit = {} }}", seed.below(40) + 1)),
        5 => ("issue_add", format!("{{ title = \"{id}\" }}")),
        6 => ("fs_list", "{ path = \".\" }".to_owned()),
        _ => ("no_such_tool", "{ path = 7 }".to_owned()),
    };
    text.push_str(&format!("[[{table}.call]]\nid = \"{id}\"\ntool = \"{tool}\"\narguments = {arguments}\n"));
}
