//! Expansion of words: quotes, variables that the script sets itself, braces, and the output of commands that can be computed
//! from their text alone.

use crate::arg::{
    Arg, CLOSE_BRACE, CLOSE_SET, COMMA, CUT, OPEN_BRACE, OPEN_SET, QUESTION, STAR, UNKNOWN, expand_braces,
};
use crate::ast::{Operation, Parameter, Piece, Word};
use crate::flow::Flow;
use crate::interpreter::Interpreter;

/// The most readings of one word that are followed.
const MOST_READINGS: usize = 8;
/// The most words that braces make.
const MOST_WORDS: usize = 64;

impl Interpreter<'_> {
    /// Everything that a word may become.
    pub(crate) fn expand_all(&mut self, word: &Word) -> Vec<Arg> {
        self.expand(word).into_iter().flatten().collect()
    }

    /// The readings of a word, each as the arguments it becomes.
    pub(crate) fn expand(&mut self, word: &Word) -> Vec<Vec<Arg>> {
        let readings = self.readings(&word.pieces);
        readings.iter().map(fields).collect()
    }

    /// A word that is not cut, and in which nothing matches names.
    pub(crate) fn expand_quoted(&mut self, word: &Word) -> Vec<Arg> {
        let uncut = |arg: Arg| {
            let text: String = arg
                .text
                .chars()
                .map(|one| if one == UNKNOWN { one } else { crate::arg::unmark(one) })
                .collect();
            arg.with_text(text)
        };
        self.readings(&word.pieces).into_iter().take(1).map(uncut).collect()
    }

    fn readings(&mut self, pieces: &[Piece]) -> Vec<Arg> {
        let mut readings = vec![Arg::default()];
        for piece in pieces {
            let choices = self.choices(piece);
            let mut joined = Vec::new();
            for reading in &readings {
                for choice in choices.iter().take(MOST_READINGS) {
                    if joined.len() < MOST_READINGS {
                        joined.push(join(reading, choice));
                    }
                }
            }
            readings = joined;
        }
        readings
    }

    /// What a piece may become.
    fn choices(&mut self, piece: &Piece) -> Vec<Arg> {
        match piece {
            Piece::Bare(text) => vec![Arg::known(text.chars().map(mark).collect::<String>())],
            Piece::Quoted(text) => vec![Arg::known(text.clone())],
            Piece::Parameter(parameter) => self.parameter(parameter),
            Piece::Substitution { body, is_quoted } => {
                let folder = self.state.folder.clone();
                let flow = self.statement(body, Flow::terminal());
                self.state.folder = folder;
                vec![output(flow, *is_quoted)]
            }
            Piece::Process(body) => {
                let flow = self.statement(body, Flow::terminal());
                let process = Some(Box::new(flow));
                vec![Arg { text: "/dev/fd/63".to_owned(), process, ..Arg::default() }]
            }
            Piece::Arithmetic(pieces) => {
                self.readings(pieces);
                vec![Arg::known("0")]
            }
        }
    }

    fn parameter(&mut self, parameter: &Parameter) -> Vec<Arg> {
        let operand = self.readings(&parameter.operand.pieces);
        let values = self.values(&parameter.name);
        let found = match (parameter.operation, values) {
            (Operation::Value | Operation::Required, Some(values)) => values,
            (Operation::Default, Some(values)) => values.into_iter().chain(operand).collect(),
            (Operation::Default | Operation::Alternative, _) => operand,
            (Operation::Value | Operation::Required | Operation::Computed, _) => {
                return vec![unknown(&parameter.name)];
            }
        };
        let separators = self.state.values("IFS").and_then(|all| all.last()).map(|arg| arg.text.clone());
        found
            .into_iter()
            .map(|value| match parameter.is_quoted {
                true => value,
                false => unquoted(&value, separators.as_deref()),
            })
            .collect()
    }

    /// The values of a parameter, where the script or every shell has them.
    fn values(&self, name: &str) -> Option<Vec<Arg>> {
        if let Some(values) = self.state.values(name) {
            return Some(values.to_vec());
        }
        if let Some(position) = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
            return self.state.positional.get(position).map(|arg| vec![arg.clone()]);
        }
        let text = match name {
            "@" | "*" if !self.state.positional.is_empty() => {
                let all: Vec<&str> = self.state.positional.iter().map(|arg| arg.text.as_str()).collect();
                all.join(CUT.encode_utf8(&mut [0; 4]))
            }
            "HOME" => "~".to_owned(),
            "PWD" | "CLAUDE_PROJECT_DIR" | "INIT_CWD" => self.state.folder.clone()?,
            "TMPDIR" | "TMP" | "TEMP" => "/tmp".to_owned(),
            "XDG_STATE_HOME" => "~/.local/state".to_owned(),
            "XDG_CONFIG_HOME" => "~/.config".to_owned(),
            "SHELL" | "BASH" | "0" => "bash".to_owned(),
            "EDITOR" | "VISUAL" => "vi".to_owned(),
            "PAGER" => "less".to_owned(),
            "CC" => "cc".to_owned(),
            "CXX" => "c++".to_owned(),
            "MAKE" => "make".to_owned(),
            "PYTHON" => "python3".to_owned(),
            "IFS" => " ".to_owned(),
            _ => return None,
        };
        Some(vec![Arg::known(text)])
    }
}

/// What is only known when the command runs.
fn unknown(name: &str) -> Arg {
    Arg { text: UNKNOWN.to_string(), variables: vec![name.to_owned()], ..Arg::default() }
}

/// The output of a command as a piece of a word.
fn output(flow: Flow, is_quoted: bool) -> Arg {
    match flow.text {
        Some(text) => {
            let arg = Arg::known(text.trim_end_matches('\n'));
            if is_quoted { arg } else { unquoted(&arg, None) }
        }
        None => Arg { text: UNKNOWN.to_string(), has_output: true, origin: flow.origin, ..Arg::default() },
    }
}

/// A value outside of quotes: cut into words, and matching names.
fn unquoted(value: &Arg, separators: Option<&str>) -> Arg {
    let read = |character: char| match character {
        '*' => STAR,
        '?' => QUESTION,
        _ if character.is_ascii_whitespace() => CUT,
        _ if separators.is_some_and(|all| all.contains(character)) => CUT,
        other => other,
    };
    value.with_text(value.text.chars().map(read).collect::<String>())
}

/// A character outside of quotes as the mark it is.
const fn mark(character: char) -> char {
    match character {
        '*' => STAR,
        '?' => QUESTION,
        '[' => OPEN_SET,
        ']' => CLOSE_SET,
        '{' => OPEN_BRACE,
        ',' => COMMA,
        '}' => CLOSE_BRACE,
        other => other,
    }
}

fn join(left: &Arg, right: &Arg) -> Arg {
    let mut joined = left.clone();
    joined.text.push_str(&right.text);
    joined.variables.extend(right.variables.iter().cloned());
    joined.has_output |= right.has_output;
    joined.origin = joined.origin.or(right.origin);
    if joined.process.is_none() {
        joined.process.clone_from(&right.process);
    }
    joined
}

/// The arguments that a word becomes when braces and blanks cut it.
fn fields(arg: &Arg) -> Vec<Arg> {
    let words = if arg.text.contains(OPEN_BRACE) {
        expand_braces(&arg.text, MOST_WORDS)
    } else {
        vec![plain(&arg.text)]
    };
    let mut found = Vec::new();
    for word in words {
        let is_empty = word.is_empty();
        for field in word.split(CUT).filter(|field| is_empty || !field.is_empty()) {
            found.push(arg.with_text(single_set(field)));
        }
    }
    found
}

/// Commas and braces that make no words.
fn plain(text: &str) -> String {
    text.chars()
        .map(
            |one| if matches!(one, OPEN_BRACE | COMMA | CLOSE_BRACE) { crate::arg::unmark(one) } else { one },
        )
        .collect()
}

/// Brackets that make no set stand for themselves.
fn single_set(text: &str) -> String {
    let is_set = text.find(OPEN_SET).zip(text.rfind(CLOSE_SET)).is_some_and(|(open, close)| open < close);
    if is_set {
        return text.to_owned();
    }
    text.chars()
        .map(|one| if matches!(one, OPEN_SET | CLOSE_SET) { crate::arg::unmark(one) } else { one })
        .collect()
}
