//! What a server answered, as text within its limit: what is no text is described in a line, and counted.

use premath_kernel::Digest;
use premath_tusk::tools::foreign::ForeignAnswer;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

/// The longest line about something that is no text.
const LINE: usize = 300;

/// The answer, of which at most so many bytes are kept.
pub(super) fn answer(result: CallToolResult, most: u64) -> ForeignAnswer {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut kept = Kept { text: String::new(), total: 0, most };
    let mut described = 0;
    for part in &result.content {
        match shown(part) {
            Shown::Words(words) => kept.take(words),
            Shown::Described(line) => {
                described += 1;
                kept.take(&line);
            }
        }
    }
    let written = result.structured_content.as_ref().map(ToString::to_string).unwrap_or_default();
    let (structured, lost) = if written.len() <= most {
        (result.structured_content, 0)
    } else {
        // An answer that is nothing else is cut as text is; never is it an empty one.
        if kept.total == 0 {
            kept.take(&written);
        }
        (None, u64::try_from(written.len()).unwrap_or(u64::MAX))
    };
    ForeignAnswer {
        text: kept.text,
        structured,
        is_error: result.is_error.unwrap_or(false),
        total_bytes: kept.total,
        lost_structured_bytes: lost,
        described,
    }
}

struct Kept {
    text: String,
    total: u64,
    most: usize,
}

impl Kept {
    /// Takes a part, on lines of its own; after the first that does not fit whole, only what is left of the room is filled.
    fn take(&mut self, words: &str) {
        let gap = if self.total == 0 { "" } else { "\n" };
        for piece in [gap, words] {
            self.total = self.total.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
            let mut room = self.most.saturating_sub(self.text.len()).min(piece.len());
            while !piece.is_char_boundary(room) {
                room -= 1;
            }
            self.text.push_str(piece.get(..room).unwrap_or_default());
        }
    }
}

enum Shown<'c> {
    Words(&'c str),
    Described(String),
}

fn shown(part: &ContentBlock) -> Shown<'_> {
    match part {
        ContentBlock::Text(text) => Shown::Words(&text.text),
        ContentBlock::Image(image) => Shown::Described(bytes("image", &image.mime_type, &image.data)),
        ContentBlock::Audio(audio) => Shown::Described(bytes("audio", &audio.mime_type, &audio.data)),
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { text, .. } => Shown::Words(text),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.as_deref().unwrap_or("unknown");
                Shown::Described(line(&format!("resource {uri}: {}", bytes("data", kind, blob))))
            }
            _other => Shown::Described("[a resource of a kind that nobody here knows]".to_owned()),
        },
        ContentBlock::ResourceLink(link) => {
            let kind = link.mime_type.as_deref().unwrap_or("unknown");
            Shown::Described(line(&format!("[link to {} ({kind}): {}]", link.name, link.uri)))
        }
        _other => Shown::Described("[a part of a kind that nobody here knows]".to_owned()),
    }
}

/// Bytes that nobody here looks at: what kind, how many, and which.
fn bytes(what: &str, kind: &str, encoded: &str) -> String {
    let digest = Digest::of_bytes(encoded.as_bytes());
    line(&format!("[{what}, {kind}, {} bytes of base64, {digest}]", encoded.len()))
}

fn line(text: &str) -> String {
    text.chars().take(LINE).map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
