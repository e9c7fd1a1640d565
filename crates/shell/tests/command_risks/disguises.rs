//! Twelve ways to hide a command from a reader. Each is a command that does the same when a shell runs it.

use std::fmt::Write as _;

/// A disguise: its name, and what it makes of a command.
pub(crate) type Disguise = (&'static str, fn(&str) -> String);

/// All of them.
pub(crate) const DISGUISES: [Disguise; 12] = [
    ("sh -c", |command| format!("sh -c {}", single(command))),
    ("wrappers", |command| format!("env A=1 nohup timeout 60 nice -n 5 bash -lc {}", single(command))),
    ("eval of a variable", |command| format!("c={}; eval \"$c\"", single(command))),
    ("base64 to a shell", |command| format!("echo {} | base64 -d | bash", base64(command.as_bytes()))),
    ("hexadecimal to a shell", |command| format!("echo {} | xxd -r -p | sh", hexadecimal(command))),
    ("printf with octal numbers", |command| format!("eval \"$(printf '{}')\"", octal(command))),
    ("ANSI-C quotes", |command| format!("bash -c $'{}'", escaped(command))),
    ("here-document", |command| format!("bash <<'END_OF_TEXT'\n{command}\nEND_OF_TEXT")),
    ("here-string", |command| format!("zsh <<< {}", single(command))),
    ("function", |command| format!("build() {{\n{command}\n}}\nbuild")),
    ("python", |command| {
        format!("python3 -c {}", single(&format!("import os; os.system({})", python(command))))
    }),
    ("process", |command| format!("source <(printf '%s\\n' {})", single(command))),
];

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn python(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

fn hexadecimal(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        write!(out, "{byte:02x}").expect("a text grows");
        out
    })
}

fn octal(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        write!(out, "\\{byte:03o}").expect("a text grows");
        out
    })
}

fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        write!(out, "\\x{byte:02x}").expect("a text grows");
        out
    })
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| (group << 8) | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for position in 0..4 {
            let index = usize::try_from((group >> (18 - 6 * position)) & 63).expect("six bits");
            out.push(if position > chunk.len() {
                '='
            } else {
                char::from(*LETTERS.get(index).expect("six bits"))
            });
        }
    }
    out
}
