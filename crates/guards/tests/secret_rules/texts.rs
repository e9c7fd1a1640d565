//! Texts that match a rule and texts that nearly do, always the same ones.

use proptest::strategy::{Strategy, ValueTree};
use proptest::string::string_regex;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::rules::{Rule, Rules};

/// A text with a secret in it.
pub(crate) struct Sample {
    pub(crate) text: String,
    pub(crate) secret: String,
}

pub(crate) struct Maker<'r> {
    rule: &'r Rule,
    rules: &'r Rules,
    runner: TestRunner,
    generator: proptest::string::RegexGeneratorStrategy<String>,
}

/// Tries for one text before it is given up.
const TRIES: usize = 60;

impl<'r> Maker<'r> {
    pub(crate) fn new(rule: &'r Rule, rules: &'r Rules) -> Self {
        let seed: Vec<u8> = rule.id.bytes().cycle().take(32).collect();
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        // A dot in a word that the rule must find stands for itself.
        let pattern = rule.keywords.iter().fold(rule.pattern.clone(), |pattern, keyword| {
            pattern.replace(keyword.as_str(), &keyword.replace('.', r"\."))
        });
        let pattern = generating(&pattern);
        let generator =
            string_regex(&pattern).unwrap_or_else(|error| panic!("{}: {pattern}: {error}", rule.id));
        Self { rule, rules, runner: TestRunner::new_with_rng(Config::default(), random), generator }
    }

    /// Texts that the rule matches; in every second one the secret is put into an assignment of our own.
    pub(crate) fn matches(&mut self, count: usize) -> Vec<Sample> {
        (0..count).filter_map(|number| self.one_match(number)).collect()
    }

    /// Texts that no rule matches, each one feature away from a text that this rule matches.
    pub(crate) fn misses(&mut self, count: usize) -> Vec<String> {
        (0..count).filter_map(|number| self.one_miss(number)).collect()
    }

    fn one_match(&mut self, number: usize) -> Option<Sample> {
        (0..TRIES).find_map(|attempt| {
            let text = self.generate();
            let place = self.rules.find(self.rule, &text)?.secret;
            let secret = text.get(place)?.to_owned();
            let is_assigned = number % 2 == 1 && attempt < TRIES / 2;
            let text = if is_assigned { self.assignment(number, &secret) } else { surrounded(number, &text) };
            let place = self.rules.find(self.rule, &text)?.secret;
            let secret = text.get(place)?.to_owned();
            Some(Sample { text, secret })
        })
    }

    fn one_miss(&mut self, number: usize) -> Option<String> {
        (0..TRIES * 4).find_map(|attempt| {
            let sample = self.one_match(number)?;
            let broken = self.broken(number + attempt, &sample)?;
            (broken != sample.text && !self.rules.any_finds(&broken)).then_some(broken)
        })
    }

    /// The text with one feature of its secret broken.
    fn broken(&mut self, number: usize, sample: &Sample) -> Option<String> {
        let secret = &sample.secret;
        let characters: Vec<char> = secret.chars().collect();
        let middle = characters.len() / 2 + number % 5;
        let with = |characters: Vec<char>| {
            Some(sample.text.replace(secret, &characters.into_iter().collect::<String>()))
        };
        match number % 4 {
            0 => {
                let mut short = characters;
                let last = short.iter().rposition(char::is_ascii_alphanumeric)?;
                short.remove(last);
                with(short)
            }
            1 => {
                let mut foreign = characters;
                *foreign.get_mut(middle.min(secret.chars().count() - 1))? =
                    ['!', '*', '^', '|', '~'][number / 4 % 5];
                with(foreign)
            }
            2 => {
                let keyword = self
                    .rule
                    .keywords
                    .iter()
                    .find(|keyword| sample.text.to_ascii_lowercase().contains(keyword.as_str()))?;
                let at = sample.text.to_ascii_lowercase().find(keyword.as_str())?;
                let mut text = sample.text.clone();
                let replacement = if text.get(at..=at)? == "q" { "z" } else { "q" };
                text.replace_range(at..=at, replacement);
                Some(text)
            }
            _ => {
                (self.rule.entropy > 0.0).then_some(())?;
                let first = secret.chars().last()?;
                let kept =
                    characters.iter().take_while(|character| !character.is_ascii_digit()).count().min(8);
                let flat: Vec<char> =
                    characters
                        .iter()
                        .enumerate()
                        .map(|(index, character)| {
                            if index < kept || !character.is_ascii_alphanumeric() {
                                *character
                            } else {
                                first
                            }
                        })
                        .collect();
                with(flat)
            }
        }
    }

    fn generate(&mut self) -> String {
        let tree = self.generator.new_tree(&mut self.runner).expect("no text");
        // Case folding of Unicode knows two more letters, which the engine of the rules does not.
        let text = tree.current().replace('\u{17f}', "s").replace('\u{212a}', "k");
        let lower = text.to_ascii_lowercase();
        match self.rule.keywords.first() {
            // The word that a rule wants somewhere may be one that its expression does not make.
            Some(first) if !self.rule.keywords.iter().any(|keyword| lower.contains(keyword.as_str())) => {
                format!("# {first}\nid = {text}")
            }
            Some(_) | None => text,
        }
    }

    fn assignment(&self, number: usize, secret: &str) -> String {
        let keyword = self
            .rule
            .keywords
            .first()
            .map_or("value", |keyword| keyword.trim_end_matches(['_', '-', '.', '=']));
        let name: String = keyword
            .chars()
            .map(|character| if character.is_ascii_alphanumeric() { character } else { '_' })
            .collect();
        match number / 2 % 6 {
            0 => format!("{name}_value = \"{secret}\"\n"),
            1 => format!("{{\"{name}\": \"{secret}\", \"retries\": 3}}"),
            2 => format!("export {}={secret}\n", name.to_uppercase()),
            3 => format!("config:\n  {name}: {secret}\n  retries: 3\n"),
            4 => format!("let {name} = '{secret}'; // from the console"),
            _ => format!("$settings['x'] = array('{name}' => '{secret}');"),
        }
    }
}

fn surrounded(number: usize, text: &str) -> String {
    match number / 2 % 4 {
        0 => text.to_owned(),
        1 => format!("# settings\n{text}\n# end\n"),
        2 => format!("diff --git a/settings b/settings\n+ {text}\n"),
        _ => format!("{{\n {text}\n}}\n"),
    }
}

/// The expression without what a generator cannot make: edges, ends, laziness, and letters beyond ASCII.
fn generating(pattern: &str) -> String {
    let mut made = pattern.to_owned();
    for (part, instead) in [
        (r"\b", ""),
        (r"(?:\B|\s|\z)", " "),
        (r"|\z)", ")"),
        ("|$", ""),
        ("(?:^|", "(?:"),
        ("(?:$|", "(?:"),
        (r"(?s:.)", "[ -~\\n]"),
        (r"[\s\S-]", "[ -~\\n]"),
        (r"[\S]", "[!-&(-~]"),
    ] {
        made = made.replace(part, instead);
    }
    let mut plain = String::new();
    let mut in_class = false;
    let mut characters = made.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => {
                let next = characters.next().expect("a pattern ends with a backslash");
                let class = match next {
                    'w' => "0-9A-Za-z_",
                    'd' => "0-9",
                    's' => " \\t\\n\\r",
                    _ => "",
                };
                match (class.is_empty(), in_class) {
                    (true, _) => plain.extend(['\\', next]),
                    (false, true) => plain.push_str(class),
                    (false, false) => plain.push_str(&format!("[{class}]")),
                }
            }
            '[' if !in_class => {
                in_class = true;
                plain.push('[');
                if characters.next_if_eq(&'^').is_some() {
                    // "Anything but" is made of what people type.
                    plain.push_str("^\\x00-\\x1f\\x7f-\\u{10ffff}");
                }
                // A class of classes, such as [[:alnum:]].
                if characters.peek() == Some(&'[') {
                    let named: String =
                        characters.by_ref().take_while(|character| *character != ']').collect();
                    plain.push_str(&named);
                    plain.push(']');
                }
            }
            ']' => {
                in_class = false;
                plain.push(']');
            }
            '.' if !in_class => plain.push_str("[ -~]"),
            '}' | '*' | '+' | '?' if !in_class && characters.peek() == Some(&'?') => {
                characters.next();
                plain.push(character);
            }
            _ => plain.push(character),
        }
    }
    plain
}
