//! The rules of the test data, applied as their own scanner applies them: a keyword somewhere, the expression, enough
//! entropy, no exception.

use regex::bytes::{Regex, RegexBuilder};
use toml::Value;

pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) pattern: String,
    pub(crate) keywords: Vec<String>,
    pub(crate) entropy: f64,
    group: Option<usize>,
    expression: Regex,
    exceptions: Vec<Exception>,
}

struct Exception {
    target: String,
    expressions: Vec<Regex>,
    stopwords: Vec<String>,
}

pub(crate) struct Rules {
    rules: Vec<Rule>,
    exceptions: Exception,
}

/// What a rule found.
pub(crate) struct Match {
    pub(crate) secret: std::ops::Range<usize>,
}

impl Rules {
    pub(crate) fn read(text: &str) -> Self {
        let document: Value = text.parse::<toml::Table>().map(Value::Table).expect("the rules are not TOML");
        let rules = document.get("rules").and_then(Value::as_array).expect("no rules");
        let rules = rules.iter().filter(|rule| rule.get("regex").is_some()).map(Rule::read).collect();
        let exceptions = Exception::read(document.get("allowlist").expect("no exceptions"));
        Self { rules, exceptions }
    }

    /// These rules and others; exceptions stay those of these.
    pub(crate) fn with(mut self, others: Self) -> Self {
        self.rules.extend(others.rules);
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.rules.len()
    }

    pub(crate) fn all(&self) -> &[Rule] {
        &self.rules
    }

    pub(crate) fn find(&self, rule: &Rule, text: &str) -> Option<Match> {
        rule.find(text, &self.exceptions)
    }

    pub(crate) fn any_finds(&self, text: &str) -> bool {
        self.rules.iter().any(|rule| self.find(rule, text).is_some())
    }
}

impl Rule {
    fn read(rule: &Value) -> Self {
        let text = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let pattern = text("regex");
        let entropy = rule.get("entropy").map_or(0.0, |entropy| {
            entropy
                .as_float()
                .or_else(|| entropy.as_integer().map(|whole| f64::from(i32::try_from(whole).unwrap())))
                .unwrap()
        });
        let lists = rule.get("allowlists").and_then(Value::as_array);
        Self {
            id: text("id"),
            expression: expression(&pattern),
            pattern,
            keywords: strings(rule, "keywords"),
            entropy,
            group: rule
                .get("secretGroup")
                .and_then(Value::as_integer)
                .map(|group| usize::try_from(group).unwrap()),
            exceptions: lists
                .into_iter()
                .flatten()
                .filter(|list| list.get("paths").is_none())
                .map(Exception::read)
                .collect(),
        }
    }

    fn find(&self, text: &str, common: &Exception) -> Option<Match> {
        let lower = text.to_ascii_lowercase();
        let has_keyword =
            self.keywords.is_empty() || self.keywords.iter().any(|keyword| lower.contains(keyword.as_str()));
        has_keyword.then_some(())?;
        self.expression.captures_iter(text.as_bytes()).find_map(|captures| {
            let whole = captures.get(0)?;
            let secret = match self.group {
                Some(group) => captures.get(group)?,
                None => captures.iter().skip(1).flatten().find(|group| !group.is_empty()).unwrap_or(whole),
            };
            let is_random = self.entropy == 0.0 || shannon(secret.as_bytes()) > self.entropy;
            let place = secret.range();
            let is_excepted = std::iter::once(common)
                .chain(&self.exceptions)
                .any(|exception| exception.holds(text.as_bytes(), &place, whole.range()));
            (is_random && !is_excepted).then_some(Match { secret: place })
        })
    }
}

impl Exception {
    fn read(list: &Value) -> Self {
        let target = list.get("regexTarget").and_then(Value::as_str).unwrap_or("secret").to_owned();
        let expressions = strings(list, "regexes").iter().map(|pattern| expression(pattern)).collect();
        Self { target, expressions, stopwords: strings(list, "stopwords") }
    }

    fn holds(&self, text: &[u8], secret: &std::ops::Range<usize>, whole: std::ops::Range<usize>) -> bool {
        let value = &text[secret.clone()];
        let line_start = text[..whole.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line_end =
            text[whole.end..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| whole.end + at);
        let subject = match self.target.as_str() {
            "match" => &text[whole],
            "line" => &text[line_start..line_end],
            _ => value,
        };
        let lower = String::from_utf8_lossy(value).to_ascii_lowercase();
        self.expressions.iter().any(|expression| expression.is_match(subject))
            || self.stopwords.iter().any(|word| lower.contains(&word.to_ascii_lowercase()))
    }
}

fn expression(pattern: &str) -> Regex {
    // The engine that the rules were written for knows no letters but ASCII in its classes, and takes a brace that counts
    // nothing for itself.
    let mut plain = String::new();
    let mut characters = pattern.chars().peekable();
    let mut previous = ' ';
    while let Some(character) = characters.next() {
        let counts = characters.peek().is_some_and(char::is_ascii_digit);
        if character == '{' && previous != '\\' && !counts {
            plain.push('\\');
        }
        plain.push(character);
        previous = if previous == '\\' { ' ' } else { character };
    }
    let built = RegexBuilder::new(&plain).unicode(false).size_limit(1 << 27).build();
    built.unwrap_or_else(|error| panic!("{pattern}: {error}"))
}

fn strings(value: &Value, name: &str) -> Vec<String> {
    let list = value.get(name).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).map(ToOwned::to_owned).collect()
}

fn shannon(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let total = f64::from(u32::try_from(bytes.len()).unwrap());
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum()
}
