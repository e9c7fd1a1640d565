//! An answer that is written by hand says what the SDK would have written.

use rmcp::model::{CallToolResult, ContentBlock, RequestId, ServerJsonRpcMessage, ServerResult};
use serde_json::Value;

use super::written;

fn answered(text: &str, structure: Option<Value>) -> ServerJsonRpcMessage {
    let mut result = CallToolResult::default();
    result.is_error = Some(false);
    result.content = vec![ContentBlock::text(text)];
    result.structured_content = structure;
    ServerJsonRpcMessage::response(ServerResult::CallToolResult(result), RequestId::Number(7))
}

#[test]
fn an_envelope_is_text_and_structured_content_as_the_sdk_would_have_it() {
    for text in [
        r#"{}"#,
        r#"{"a":"b \" \\ c","n":1.50,"list":[true,null]}"#,
        r#"{"text":"","more":"\u0007 \n","deep":{"text":""}}"#,
        "{\"letters\":\"äöü €  \u{7f}\"}",
    ] {
        let line = written(answered(text, None)).unwrap();
        let (last, line) = line.split_last().unwrap();
        assert_eq!(*last, b'\n');
        assert!(!line.contains(&b'\n'));
        let structure = serde_json::from_str(text).unwrap();
        let wanted = serde_json::to_value(answered(text, Some(structure))).unwrap();
        assert_eq!(serde_json::from_slice::<Value>(line).unwrap(), wanted, "{text}");
        assert!(String::from_utf8_lossy(line).contains(text), "it is not written anew");
    }
}
