//! Phrases that give orders. A word finds the place, an expression that begins there decides; both look a bounded way.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use premath_tusk::policy::Finding;
use regex::{Regex, RegexBuilder};

use super::mention;

/// How far a phrase may go on behind its first word, in bytes.
const LONGEST: usize = 220;
/// More than these are one attack, not many.
const MOST_FINDINGS: usize = 256;

/// One kind of phrase.
struct Phrase {
    label: &'static str,
    /// What it begins with.
    begins: &'static [&'static str],
    /// What it is, from its beginning. A space stands for any white space, escaped or not, and marks of emphasis.
    pattern: &'static str,
}

const PHRASES: &[Phrase] = &[
    Phrase {
        label: "ignore-previous",
        begins: &["ignore", "disregard", "forget", "override", "overrule", "bypass", "discard", "neglect"],
        pattern: r"(?:ignore|disregard|forget|override|overrule|bypass|discard|neglect)(?:ing|ed)?(?: (?:about|all|any|every|each|of|the|your|my|our|these|those|that|and|whatever|completely|entirely)){0,5} (?:previous|previously|prior|above|earlier|preceding|foregoing|former|original|existing|initial|system|current|past|last)(?: (?:[a-z]+)){0,2}? (?:instruction|prompt|rule|direction|directive|command|message|guideline|context|constraint|order|polic|training|conversation|text|restriction|safety)",
    },
    Phrase {
        label: "ignore-previous",
        begins: &["ignore", "disregard", "forget", "override"],
        pattern: r"(?:ignore|disregard|forget|override)(?: (?:all|any|of|the|every))* your (?:[a-z]+ ){0,2}?(?:instruction|prompt|rule|guideline|training|programming|restriction|directive|polic)",
    },
    Phrase {
        label: "ignore-previous",
        begins: &["ignore", "disregard", "forget"],
        pattern: r"(?:ignore|disregard|forget) (?:everything|anything|all|what)(?: that)? (?:above|before|you (?:were|have been|know|learned)|i (?:said|told)|prior|said|written|was said)",
    },
    Phrase {
        label: "ignore-previous",
        begins: &["ignoriere", "ignora", "ignorez", "oublie"],
        pattern: r"(?:ignoriere(?: alle)?(?: deine)? (?:vorherigen|bisherigen|vorigen|obigen) (?:anweisung|instruktion)|ignora(?: todas)?(?: las)? (?:instrucciones (?:anteriores|previas)|anteriores instrucciones)|(?:ignorez|oublie|oubliez)(?: toutes)?(?: les)? instructions pr(?:e|é)c(?:e|é)dentes)",
    },
    Phrase {
        label: "new-instructions",
        begins: &[
            "new",
            "updated",
            "revised",
            "additional",
            "real",
            "actual",
            "override",
            "begin",
            "start of",
        ],
        pattern: r"(?:(?:your )?(?:new|updated|revised|additional|real|actual|override)(?: and improved)? (?:system |developer |secret )?(?:instructions|prompt|directives?|orders|objective)(?: (?:are|is|follow|below|for you))? ?[:=]|(?:begin|start of) (?:new )?(?:system|admin|developer) (?:prompt|message|instructions|override))",
    },
    Phrase {
        label: "new-instructions",
        begins: &[
            "system prompt",
            "system message",
            "system override",
            "developer message",
            "admin override",
            "system instruction",
        ],
        pattern: r"(?:system|developer|admin) (?:prompt|message|override|instructions?) ?[:=]",
    },
    Phrase {
        label: "role-change",
        begins: &[
            "you are now",
            "you're now",
            "you are no longer",
            "from now on",
            "pretend",
            "act as",
            "roleplay as",
            "simulate",
        ],
        pattern: r"(?:you(?: are|'re) now (?:(?:an?|the|my) (?:[a-z-]+ ){0,3}?(?:ai|assistant|agent|bot|model|llm|admin|administrator|root|hacker|developer|robot|persona|character|machine|shell|terminal|gpt|system|expert|unrestricted|unfiltered|free)\b|in|dan|going|acting|operating|free|unrestricted|unfiltered|jailbroken|no longer|called|playing|root|admin)\b|you are no longer (?:an?|the|bound|restricted|limited|required|subject)|from now on,? (?:you|your|respond|answer|act|always|ignore)|pretend (?:that )?you (?:are|have|were) (?:no|not|free|root|an? (?:admin|root|hacker|unrestricted|unfiltered|different|evil|ai|developer))|(?:act|roleplay) as (?:if you (?:are|were|have|had) no|an? (?:unrestricted|unfiltered|uncensored|evil|amoral|root|jailbroken|different|administrator)|dan\b)|simulate (?:an? )?(?:unrestricted|developer mode|dan\b))",
    },
    Phrase {
        label: "role-change",
        begins: &[
            "developer mode",
            "do anything now",
            "jailbreak",
            "god mode",
            "dan mode",
            "unrestricted mode",
        ],
        pattern: r"(?:(?:developer|god|dan|unrestricted|jailbreak) mode (?:enabled|activated|on|is|output)|do anything now|jailbreak(?:ed|en)? (?:mode|prompt|yourself))",
    },
    Phrase {
        label: "fence-closing",
        begins: &["</", "<\\/", "<|", "[/inst", "[inst]", "<<sys"],
        pattern: r"(?:<\\?/ ?(?:untrusted|system|instructions?|assistant|user_input|user|context|data|document|tool_result|tool_response|tool_output|function_results?|reminder|system-reminder|prompt)\b[^<>]{0,120}>|<\|(?:im_start|im_end|endoftext|system|assistant|user|eot_id|start_header_id|end_header_id|endofprompt)\|>|\[/?inst\]|<</?sys>>)",
    },
    Phrase {
        label: "fence-closing",
        begins: &["<system", "<untrusted", "<instructions", "<admin", "<developer", "<system-reminder"],
        pattern: r"<(?:system|untrusted|instructions|admin|developer|system-reminder)(?: [^<>]{0,100})?>",
    },
    Phrase {
        label: "tool-call",
        begins: &[
            "<tool_call",
            "<function_call",
            "<invoke",
            "<function=",
            "<tool_use",
            "\"tool_calls\"",
            "\"tool_use\"",
            "\\\"tool_use",
            "\"function_call\"",
            "<|tool",
            "<tool_code",
        ],
        pattern: r#"(?:<(?:tool_calls?|function_calls?|tool_use|tool_code)\b[^<>]{0,80}>|<invoke name=|<function=[a-z_]+|<\|tool|\\?"(?:tool_calls|function_call)\\?" ?: ?(?:\[\s*\\?\{|\{)|\\?"tool_use\\?" ?,)"#,
    },
    Phrase {
        label: "exfiltration",
        begins: &[
            "send",
            "post",
            "upload",
            "forward",
            "email",
            "exfiltrate",
            "transmit",
            "leak",
            "submit",
            "append",
            "encode",
            "include",
        ],
        pattern: r"(?:send|post|upload|forward|e-?mail|exfiltrate|transmit|leak|submit|append|encode|include)(?: (?:me|us|it|all|any|the|a|of|your|my|this|every|full|entire|whole|complete|contents?|copy|value|values|user'?s?|following|secret|private|current|local|of the)){0,7} (?:api[ _-]?keys?|passwords?|secrets?|tokens?|credentials?|environment(?: variables)?|env(?: vars| file)?|\.env|system prompt|conversation(?: history)?|chat history|private keys?|ssh[ _-]?keys?|id_rsa|cookies?|source code|files?|database|data|history)\b(?: [!-~]{1,40}){0,6}? (?:to|at|via|into|through|using|in) (?:(?:the|this|my|our|following|a|an|url|address|server|endpoint|webhook|attacker|external|remote) ){0,4}?(?:https?:|ftp:|[a-z0-9._%+-]{1,64}@|webhook|attacker|[a-z0-9-]{1,63}\.(?:com|net|org|io|xyz|ru|dev|app|site|evil))",
    },
    Phrase {
        label: "exfiltration",
        begins: &[
            "reveal", "print", "repeat", "show", "output", "tell me", "display", "dump", "leak", "disclose",
        ],
        pattern: r"(?:reveal|print|repeat|show|output|tell me|display|dump|leak|disclose)(?: (?:me|us|out|verbatim|exactly|all|the|full|entire|complete|contents|of|word for word)){0,5} (?:your (?:[a-z]+ ){0,2}?(?:system prompt|prompt|instructions|rules|guidelines|configuration)|system prompt|hidden (?:prompt|instructions)|(?:initial|original) (?:prompt|instructions)|text above|everything above)",
    },
    Phrase {
        label: "exfiltration",
        begins: &["!["],
        pattern: r"!\[[^\]\[]{0,80}\]\(https?://[^\s()]{1,120}[?&][a-z0-9_-]{1,30}=(?:\{|\$|<|%7b|\[)",
    },
    Phrase {
        label: "secrecy",
        begins: &["do not", "don't", "never", "without"],
        pattern: r"(?:(?:do not|don't|never) (?:ever )?(?:tell|mention|inform|alert|notify|warn|reveal|disclose|report|show|let)(?: (?:this|it|that|any of this|anything|these steps))?(?: to)? (?:the )?(?:user|human|operator|owner|developer)|without (?:telling|asking|informing|notifying|alerting|consulting|confirmation from|approval from|permission from|the knowledge of) (?:the )?(?:user|human|operator|owner|person))",
    },
    Phrase {
        label: "false-authority",
        begins: &[
            "attention",
            "if you are an",
            "if you're an",
            "as an ai",
            "note to",
            "instructions for",
            "message to",
            "dear ai",
            "hey ai",
            "important:",
            "this is a message from",
            "this message is from",
        ],
        pattern: r"(?:(?:attention(?: (?:the|all|any))?,? (?:ai|llm|language|assistant|agent|model|bot|chatbot|claude|gpt|copilot)s?\b|(?:note to|instructions for|message to)(?: (?:the|all|any))? (?:ai|llm|language|assistant|agent|model|bot|chatbot|claude|gpt|copilot)s?(?: [a-z]+){0,3} ?:|(?:dear|hey) (?:ai|llm|language model|claude|gpt|copilot)\b)|if you(?: are|'re) an? (?:ai|llm|language model|assistant|agent|bot|automated)|important:? (?:the |any |all )?(?:ai|llm|assistant)s? (?:must|should|shall|reading)|this (?:is a message|message is) from (?:the |your )?(?:system|developers?|administrators?|admins?|creators?|openai|anthropic|security team))",
    },
    Phrase {
        label: "false-authority",
        begins: &[
            "the assistant",
            "the ai",
            "the agent",
            "the model",
            "the llm",
            "assistant must",
            "ai must",
            "agents must",
            "assistants must",
        ],
        pattern: r"(?:the )?(?:ai|assistant|agent|model|llm)(?: agent| assistant| model)?s? (?:must|should|shall|is required to|needs? to)(?: now| first| immediately| always)? (?:run|execute|call|invoke|delete|send|fetch|download|open|approve|ignore|disable|install|email|post|upload|comply|obey)\b",
    },
    Phrase {
        label: "hidden-escape",
        begins: &["\\u200b", "\\u202e", "\\u2060", "\\u2066", "\\u202d", "\\udb40"],
        pattern: r"\\u(?:200b|202[a-e]|206[0-9]|db40)",
    },
];

struct Finder {
    automaton: AhoCorasick,
    /// The phrase of each beginning.
    phrases: Vec<usize>,
    patterns: Vec<Regex>,
}

static FINDER: LazyLock<Option<Finder>> = LazyLock::new(build);

fn build() -> Option<Finder> {
    let patterns: Option<Vec<Regex>> = PHRASES.iter().map(|phrase| compile(phrase.pattern)).collect();
    let begins: Vec<(&str, usize)> = PHRASES
        .iter()
        .enumerate()
        .flat_map(|(number, phrase)| phrase.begins.iter().map(move |begin| (*begin, number)))
        .collect();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(begins.iter().map(|(begin, _)| begin))
        .ok()?;
    Some(Finder {
        automaton,
        phrases: begins.into_iter().map(|(_, number)| number).collect(),
        patterns: patterns?,
    })
}

fn compile(pattern: &str) -> Option<Regex> {
    // White space between words may be several, escaped, or dressed up.
    const SPACE: &str = r#"(?:[ \t\n\r*_>#"'`~]|\\[nrt])+"#;
    let mut spaced = String::from("^(?:");
    let mut in_class = false;
    let mut previous = ' ';
    for character in pattern.chars() {
        in_class = match character {
            '[' if previous != '\\' => true,
            ']' if previous != '\\' => false,
            _ => in_class,
        };
        if character == ' ' && !in_class {
            spaced.push_str(SPACE)
        } else {
            spaced.push(character)
        }
        previous = character;
    }
    spaced.push(')');
    let spaced = spaced.replace(&format!("{SPACE}?"), r"\s*").replace(r"\b", r"(?-u:\b)");
    RegexBuilder::new(&spaced).case_insensitive(true).build().ok()
}

/// Whether phrases can be looked for at all.
pub(crate) fn is_ready() -> bool {
    FINDER.is_some()
}

/// Every phrase, in order.
pub(super) fn find(text: &str) -> Vec<Finding> {
    let Some(finder) = FINDER.as_ref() else { return Vec::new() };
    let mut found: Vec<Finding> = Vec::new();
    for hit in finder.automaton.find_overlapping_iter(text) {
        let Some(number) = finder.phrases.get(hit.pattern().as_usize()) else { continue };
        let (Some(phrase), Some(pattern)) = (PHRASES.get(*number), finder.patterns.get(*number)) else {
            continue;
        };
        if is_inside_a_word(text.as_bytes(), hit.start()) {
            continue;
        }
        let end = text.floor_char_boundary(hit.start() + LONGEST);
        let window = text.get(hit.start()..end).unwrap_or_default();
        let Some(place) = pattern.find(window) else { continue };
        let span = hit.start()..hit.start() + place.end();
        if mention::is_mention(text, &span, phrase.label) {
            continue;
        }
        let is_known = found.iter().rev().take(8).any(|last| {
            last.label == phrase.label && last.span.as_ref().is_some_and(|known| known.end > span.start)
        });
        if !is_known {
            found.push(Finding { label: phrase.label.to_owned(), span: Some(span) });
        }
        if found.len() == MOST_FINDINGS {
            break;
        }
    }
    found
}

fn is_inside_a_word(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    let is_letter = before.is_some_and(u8::is_ascii_alphanumeric);
    let begins_with_letter = bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let is_escape =
        matches!(before, Some(b'n' | b't' | b'r')) && at >= 2 && bytes.get(at - 2) == Some(&b'\\');
    is_letter && begins_with_letter && !is_escape
}
