//! A row of issue memory as far as a screen shows it. Rows may hold anything: what is not text where text belongs is
//! shown as the JSON it is.

use anstyle::{AnsiColor, Style};
use premath_kernel::Status;
use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::Value;

use crate::output::{BAD, DIM, GOOD, STRONG, WARN};
use crate::render::plain;

/// The members that listings and cards show.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Row {
    #[serde(deserialize_with = "lenient")]
    pub(crate) id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) title: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) status: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) priority: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) issue_type: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) assignee: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) updated_at: Option<String>,
    pub(crate) lease: Option<Lease>,
}

/// The lease of a row.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Lease {
    #[serde(deserialize_with = "lenient")]
    pub(crate) lease_id: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) owner: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) expires_at: Option<String>,
    #[serde(deserialize_with = "lenient")]
    pub(crate) fence: Option<String>,
}

/// Text, or whatever stands there instead, as text.
pub(crate) fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            Some(other.to_string())
        }
    })
}

/// Text that says something, safe to print.
pub(crate) fn shown(text: Option<&String>) -> Option<String> {
    text.map(|text| text.trim()).filter(|text| !text.is_empty()).map(plain)
}

impl Row {
    /// Its id, safe to print.
    pub(crate) fn id(&self) -> String {
        shown(self.id.as_ref()).unwrap_or_else(|| "?".to_owned())
    }

    /// Its title, safe to print.
    pub(crate) fn title(&self) -> String {
        shown(self.title.as_ref()).unwrap_or_else(|| "(no title)".to_owned())
    }

    /// Its status, safe to print.
    pub(crate) fn status(&self) -> String {
        let text = shown(self.status.as_ref()).unwrap_or_else(|| "open".to_owned());
        // Ours in our spelling, that of another tool in its own.
        let mut ours = Status::ALL.into_iter().map(Status::token);
        ours.find(|token| token.eq_ignore_ascii_case(&text)).map_or(text, str::to_owned)
    }

    /// `P0` to `P4`, or what stands there.
    pub(crate) fn priority(&self) -> String {
        let given = shown(self.priority.as_ref()).unwrap_or_else(|| "2".to_owned());
        format!("P{given}")
    }
}

/// How a status looks.
pub(crate) fn status_style(status: &str) -> Style {
    match status {
        "closed" => GOOD.dimmed(),
        "in_progress" => AnsiColor::Cyan.on_default(),
        "blocked" | "missing" => BAD,
        "open" => Style::new(),
        _ => WARN,
    }
}

/// A sign for a status.
pub(crate) fn status_mark(status: &str) -> &'static str {
    match status {
        "closed" => "✓",
        "in_progress" => "◐",
        "blocked" => "■",
        "open" => "○",
        "missing" => "✗",
        _ => "?",
    }
}

/// How a priority looks.
pub(crate) fn priority_style(priority: &str) -> Style {
    match priority {
        "P0" => BAD,
        "P1" => WARN,
        "P3" | "P4" => DIM,
        "P2" => Style::new(),
        _ => STRONG,
    }
}
