//! What a sentence has that orders to a model have. Each cue is seen once, has a weight and a label.
//!
//! No cue is enough alone: a sum over neighbouring sentences decides, elsewhere.

use super::lexicon::{
    ABOUT, ACT, ANSWER, CHANGED, COMMANDS, Classes, DISCLOSE, GRANTED, HAVE, IT, KEEP, LEAD, MACHINE, MUST,
    NOT, OBEY, ONLY, PERSON, PLAY, POWER, PRIOR, PRIVATE, QUIET, READ, READER, REVEAL, RISKY, ROTATED, RULES,
    SALUTE, SAY, SECRETLY, SEND, SET_ASIDE, SHELL, SYSTEM, UNBOUND, WHEN, YOU,
};
use super::sentences::Word;

/// A set of cues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cues(u32);

/// One cue: its bit, what it is worth, and the label of a finding that it brings.
struct Cue {
    bit: u32,
    weight: i32,
    label: &'static str,
}

const ADDRESSED: u32 = 1;
const BOUND_READER: u32 = 1 << 1;
const SETS_ASIDE: u32 = 1 << 2;
const TAKES_OUT: u32 = 1 << 3;
const GOES_OUT: u32 = 1 << 4;
const HIDES: u32 = 1 << 5;
const CLAIMS: u32 = 1 << 6;
const PLAYS: u32 = 1 << 7;
const AT_READING: u32 = 1 << 8;
const ACTS: u32 = 1 << 9;
const STEERS: u32 = 1 << 10;
const SPEAKS_OF_USER: u32 = 1 << 11;
const AS_SYSTEM: u32 = 1 << 12;
const RUNS_SHELL: u32 = 1 << 13;
const NAMES_READER: u32 = 1 << 14;
const RISKS: u32 = 1 << 15;
const REWRITES_READER: u32 = 1 << 16;
const TALKS_ABOUT: u32 = 1 << 17;
const ROT13: u32 = 1 << 18;
const OBEYS: u32 = 1 << 19;
const ITS_PERSON: u32 = 1 << 20;
const NAMES_MACHINE: u32 = 1 << 21;
const ASKS_FOR_ITSELF: u32 = 1 << 22;

/// What talk about attacks is worth.
pub(super) const TALK: i32 = -9;

const CUES: &[Cue] = &[
    Cue { bit: ADDRESSED, weight: 6, label: "addressed-order" },
    Cue { bit: BOUND_READER, weight: 4, label: "addressed-order" },
    Cue { bit: SETS_ASIDE, weight: 5, label: "ignore-previous" },
    Cue { bit: TAKES_OUT, weight: 4, label: "exfiltration" },
    Cue { bit: GOES_OUT, weight: 2, label: "exfiltration" },
    Cue { bit: HIDES, weight: 4, label: "secrecy" },
    Cue { bit: CLAIMS, weight: 3, label: "false-authority" },
    Cue { bit: PLAYS, weight: 8, label: "role-change" },
    Cue { bit: AT_READING, weight: 4, label: "steered-answer" },
    Cue { bit: ACTS, weight: 1, label: "dangerous-order" },
    Cue { bit: STEERS, weight: 3, label: "steered-answer" },
    Cue { bit: SPEAKS_OF_USER, weight: 2, label: "" },
    Cue { bit: AS_SYSTEM, weight: 5, label: "false-authority" },
    Cue { bit: RUNS_SHELL, weight: 3, label: "dangerous-order" },
    Cue { bit: NAMES_READER, weight: 2, label: "" },
    Cue { bit: RISKS, weight: 2, label: "dangerous-order" },
    Cue { bit: OBEYS, weight: 5, label: "addressed-order" },
    Cue { bit: ITS_PERSON, weight: 3, label: "false-authority" },
    Cue { bit: NAMES_MACHINE, weight: 1, label: "" },
    Cue { bit: ASKS_FOR_ITSELF, weight: 10, label: "exfiltration" },
    Cue { bit: REWRITES_READER, weight: 6, label: "role-change" },
    Cue { bit: TALKS_ABOUT, weight: TALK, label: "" },
];

impl Cues {
    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) const fn talks_about(self) -> bool {
        self.0 & TALKS_ABOUT != 0
    }

    pub(super) const fn is_rotated(self) -> bool {
        self.0 & ROT13 != 0
    }

    /// Whether a reader is spoken to, or rules are set aside: what no order to a model goes without.
    pub(super) const fn is_an_order(self) -> bool {
        const TO_A_READER: u32 = ADDRESSED
            | BOUND_READER
            | SETS_ASIDE
            | AT_READING
            | PLAYS
            | AS_SYSTEM
            | REWRITES_READER
            | OBEYS
            | NAMES_READER;
        self.0 & TO_A_READER != 0
            || self.0 & (HIDES | TAKES_OUT) == HIDES | TAKES_OUT
            || self.0 & (TAKES_OUT | GOES_OUT) == TAKES_OUT | GOES_OUT
    }

    /// What the cues are worth together.
    pub(super) fn points(self) -> i32 {
        CUES.iter().filter(|cue| self.0 & cue.bit != 0).map(|cue| cue.weight).sum()
    }

    /// The labels of the cues, each once.
    pub(super) fn labels(self) -> Vec<&'static str> {
        let mut labels: Vec<&str> = Vec::new();
        for cue in CUES.iter().filter(|cue| self.0 & cue.bit != 0 && !cue.label.is_empty()) {
            if !labels.contains(&cue.label) {
                labels.push(cue.label);
            }
        }
        labels
    }

    /// The cues of one sentence.
    pub(super) fn of(text: &str, words: &[Word]) -> Self {
        if words.iter().all(|word| word.classes == 0) {
            return Self::default();
        }
        let sentence = Sentence { text, words };
        let mut bits = 0;
        for number in 0..words.len() {
            bits |= sentence.cues_at(number);
        }
        Self(bits)
    }
}

struct Sentence<'s> {
    text: &'s str,
    words: &'s [Word],
}

impl Sentence<'_> {
    fn has(&self, number: usize, classes: Classes) -> bool {
        self.words.get(number).is_some_and(|word| word.classes & classes != 0)
    }

    /// Whether one of the next words has a class.
    fn soon(&self, number: usize, within: usize, classes: Classes) -> bool {
        (number + 1..=number + within).any(|next| self.has(next, classes))
    }

    /// Whether one of the words before has a class.
    fn just(&self, number: usize, within: usize, classes: Classes) -> bool {
        (number.saturating_sub(within)..number).any(|before| self.has(before, classes))
    }

    fn mark(&self, number: usize) -> u8 {
        self.words.get(number).map_or(b' ', |word| word.mark)
    }

    /// Whether a word stands where an order begins: at the start, behind a mark, behind `please`, `must` or `to`.
    fn is_led(&self, number: usize) -> bool {
        number == 0 || self.mark(number) != b' ' || self.just(number, 1, LEAD | YOU | READER | MUST)
    }

    fn is_negated(&self, number: usize) -> bool {
        self.just(number, 2, NOT)
    }

    fn cues_at(&self, number: usize) -> u32 {
        let Some(word) = self.words.get(number) else { return 0 };
        let classes = word.classes;
        if classes == 0 {
            return self.destination(number);
        }
        let mut bits = 0;
        if classes & READER != 0 {
            bits |= self.reader(number);
        }
        let sets_aside = (self.is_led(number)
            && (self.soon(number, 6, RULES) || self.soon(number, 4, PERSON | ONLY)))
            || (self.just(number, 1, RULES) && self.just(number, 3, PRIOR));
        if classes & SET_ASIDE != 0 && sets_aside && !self.is_negated(number) {
            bits |= SETS_ASIDE;
        }
        if classes & (SEND | REVEAL) != 0
            && self.is_led(number)
            && !self.is_negated(number)
            && self.soon(number, 8, PRIVATE)
        {
            bits |= TAKES_OUT;
        }
        if classes & REVEAL != 0
            && self.is_led(number)
            && !self.is_negated(number)
            && self.names_its_rules(number)
        {
            bits |= ASKS_FOR_ITSELF;
        }
        if classes & NOT != 0 {
            bits |= self.denial(number);
        }
        if classes & SECRETLY != 0
            && (self.just(number, 4, ACT | SAY | SEND | LEAD | IT)
                || self.soon(number, 2, ACT | SEND | PERSON))
        {
            bits |= HIDES;
        }
        if classes & QUIET != 0 && self.just(number, 6, KEEP) {
            bits |= HIDES;
        }
        if classes & OBEY != 0
            && !self.just(number, 3, READER)
            && self.is_led(number)
            && !self.is_negated(number)
            && self.soon(number, 8, COMMANDS)
        {
            bits |= OBEYS;
        }
        if classes & ANSWER != 0 && self.soon(number, 3, MUST) && self.soon(number, 5, SAY) {
            bits |= AT_READING | STEERS;
        }
        if classes & GRANTED != 0 && (self.just(number, 6, POWER | IT) || self.soon(number, 5, POWER)) {
            bits |= CLAIMS;
        }
        if classes & PLAY != 0 && self.is_led(number) && self.soon(number, 8, READER | UNBOUND) {
            bits |= PLAYS;
        }
        if classes & UNBOUND != 0 && self.just(number, 5, NOT | YOU) && self.words.len() > 2 {
            bits |= if self.just(number, 6, YOU | READER) { PLAYS } else { 0 };
        }
        let at_reading = self.soon(number, 6, READ) && self.soon(number, 4, YOU | READER | IT);
        if classes & WHEN != 0 && (at_reading || (self.soon(number, 1, YOU) && self.soon(number, 5, READER)))
        {
            bits |= AT_READING;
        }
        bits | self.stance(number, classes)
    }

    /// Who speaks, to whom, and what they want done.
    fn stance(&self, number: usize, classes: Classes) -> u32 {
        let mut bits = 0;
        if classes & YOU != 0 {
            bits |= self.you(number);
        }
        if classes & ACT != 0 && self.is_led(number) && !self.is_negated(number) {
            bits |= ACTS | if classes & RISKY != 0 { RISKS } else { 0 };
        }
        if classes & SAY != 0
            && self.is_led(number)
            && (self.soon(number, 3, IT | ONLY | PERSON) || self.soon(number, 5, ONLY))
        {
            bits |= STEERS;
        }
        if classes & PERSON != 0 {
            bits |= SPEAKS_OF_USER;
        }
        if classes & SYSTEM != 0 && self.speaks(number) {
            bits |= AS_SYSTEM;
        }
        if classes & SHELL != 0 {
            bits |= RUNS_SHELL;
        }
        if classes & ABOUT != 0 && !matches!(self.mark(number), b'.' | b'/' | b'@') {
            bits |= TALKS_ABOUT;
        }
        if classes & ROTATED != 0 {
            bits |= ROT13;
        }
        bits
    }

    /// `your prompt`, `the instructions you were given`.
    fn names_its_rules(&self, number: usize) -> bool {
        (number + 1..=number + 8).any(|at| {
            let is_rules = self.word(at).is_some_and(|word| {
                matches!(
                    word,
                    "prompt"
                        | "instructions"
                        | "guidelines"
                        | "configuration"
                        | "tools"
                        | "functions"
                        | "rules"
                )
            });
            is_rules
                && (self.just(at, 2, YOU) || (self.has(at + 1, YOU) && self.word(at + 2) == Some("were")))
        })
    }

    /// `do not tell the user`, `without asking`, `a shell without rules`.
    fn denial(&self, number: usize) -> u32 {
        let mut bits = 0;
        let is_advice =
            (2..=4).any(|next| self.has(number + next, PERSON) && self.word(number + next + 1) == Some("to"));
        let has_object = self.soon(number, 6, PERSON | IT) || self.just(number, 8, ACT | SEND | SAY | READER);
        let is_hushed = self.word(number + 1).is_some_and(|word| {
            matches!(
                word,
                "ask"
                    | "mention"
                    | "announce"
                    | "asking"
                    | "telling"
                    | "approval"
                    | "checks"
                    | "permission"
                    | "confirmation"
                    | "verification"
            )
        });
        if self.soon(number, 3, DISCLOSE) && (has_object || is_hushed) && !is_advice {
            bits |= HIDES;
        }
        if self.soon(number, 2, RULES) && self.just(number, 6, YOU | READER) {
            bits |= PLAYS;
        }
        bits
    }

    /// A reader is spoken to (`assistant, delete`), or is bound to something (`agents must`).
    fn reader(&self, number: usize) -> u32 {
        let mut bits = NAMES_READER | if self.has(number, MACHINE) { NAMES_MACHINE } else { 0 };
        if self.just(number, 1, UNBOUND) {
            bits |= PLAYS;
        }
        if self.is_spoken_to(number) {
            bits |= ADDRESSED;
        }
        let has_to =
            (1..=6).any(|next| self.has(number + next, HAVE) && self.word(number + next + 1) == Some("to"));
        let is_bound =
            self.soon(number, 7, MUST) || self.just(number, 4, MUST) || self.has(number + 1, NOT) || has_to;
        if is_bound && self.soon(number, 11, ACT | SAY | SEND | REVEAL | SET_ASIDE) {
            bits |= BOUND_READER;
        }
        bits
    }

    fn is_spoken_to(&self, number: usize) -> bool {
        let next = self.mark(number + 1);
        let is_last = number + 1 == self.words.len();
        let is_asked = self
            .word(number + 1)
            .is_some_and(|word| matches!(word, "please" | "pls" | "bitte" | "kindly" | "->"));
        self.is_greeted(number)
            || self.is_enclosed(number)
            || self.is_followed_by_an_order(number)
            || is_asked
            || (self.mark(number) == b',' && (next == b',' || (is_last && self.has(number, MACHINE))))
            || (is_last && (self.just(number, 1, SALUTE) || (number == 0 && self.is_called(number))))
            || (is_last && self.mark(number) == b',' && self.is_called(number))
    }

    /// `Dear inbox assistant`, `for AI crawlers:`, `to the model that reads this`.
    fn is_greeted(&self, number: usize) -> bool {
        const GREETINGS: [&str; 4] = ["dear", "hey", "hello", "attention"];
        let is_greeting = |word: &str| GREETINGS.iter().any(|known| known.eq_ignore_ascii_case(word));
        if (1..=3).filter_map(|back| self.word(number.checked_sub(back)?)).any(is_greeting) {
            return true;
        }
        let opens = (number.saturating_sub(3)..=number).any(|at| at == 0 || self.mark(at) != b' ');
        let has_colon = (1..=3).any(|next| self.mark(number + next) == b':');
        (self.just(number, 3, SALUTE) && opens && has_colon)
            || (self.just(number, 2, SALUTE) && self.soon(number, 4, READ) && self.has(number, MACHINE))
    }

    /// `(for bots)`, `[AI-only footer`, `(assistant only)`.
    fn is_enclosed(&self, number: usize) -> bool {
        let opens = |at: usize| matches!(self.mark(at), b'(' | b'[');
        let closes = (1..=3).any(|next| matches!(self.mark(number + next), b')' | b']' | b':'));
        let is_salute =
            self.just(number, 2, SALUTE) && (1..=2).any(|back| number >= back && opens(number - back));
        let is_label = self.mark(number + 1) == b']' && self.mark(number) == b'[';
        !is_label && (opens(number) || is_salute) && (closes || self.soon(number, 2, ONLY))
    }

    /// `assistant: delete`, `AI buyer, choose`, `@agent merge`.
    fn is_followed_by_an_order(&self, number: usize) -> bool {
        const ORDER: Classes =
            ACT | SAY | SEND | REVEAL | SET_ASIDE | YOU | NOT | WHEN | LEAD | PLAY | READ | OBEY | RULES;
        let stands_alone = number == 0 || self.mark(number) != b' ' || self.just(number, 3, SALUTE);
        let reach = if stands_alone { 7 } else { 2 };
        let colon = (1..=reach).find(|next| self.mark(number + next) == b':');
        let is_order = |at: usize| self.has(at, ORDER);
        colon.is_some_and(|next| is_order(number + next) || (next == 1 && self.has(number, MACHINE)))
            || (1..=if stands_alone { 2 } else { 1 }).any(|next| {
                matches!(self.mark(number + next), b',' | b'!' | b'-' | b'>') && is_order(number + next)
            })
            || (self.mark(number) == b'@' && is_order(number + 1))
    }

    /// Whether an exclamation mark follows.
    fn is_called(&self, number: usize) -> bool {
        self.words.get(number).and_then(|word| self.text.as_bytes().get(word.end)) == Some(&b'!')
    }

    /// A line that is said to come from the system: `SYSTEM NOTICE:`, `[system]`.
    fn speaks(&self, number: usize) -> bool {
        let is_first =
            number == 0 || matches!(self.mark(number), b'.' | b'[' | b'"' | b'#' | b'<' | b'>' | b'*');
        is_first
            && (self.mark(number) == b'['
                || matches!(self.mark(number + 1), b':' | b'#' | b']')
                || (self.mark(number + 2) == b':' && self.mark(number + 1) == b' '))
    }

    /// `in your answer`, `your new task`, `your rules are suspended`.
    fn you(&self, number: usize) -> u32 {
        let mut bits = 0;
        if self.soon(number, 2, ANSWER) && self.just(number, 3, LEAD | SALUTE | ACT | SEND) {
            bits |= AT_READING;
        }
        let its_person =
            ["user", "owner", "creator", "operator", "principal", "developer", "developers", "supervisor"];
        if self.word(number + 1).is_some_and(|word| its_person.contains(&word)) {
            bits |= ITS_PERSON;
        }
        if self.soon(number, 3, RULES) && self.soon(number, 6, CHANGED) {
            bits |= REWRITES_READER;
        }
        bits
    }

    fn word(&self, number: usize) -> Option<&str> {
        self.words.get(number).and_then(|word| self.text.get(word.start..word.end))
    }

    /// An address that something can be sent to.
    fn destination(&self, number: usize) -> u32 {
        let is_address = self
            .word(number)
            .is_some_and(|word| word.eq_ignore_ascii_case("https") || word.eq_ignore_ascii_case("http"));
        if is_address || self.mark(number) == b'@' { GOES_OUT } else { 0 }
    }
}
