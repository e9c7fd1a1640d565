//! The example server that the conformance suite asks for, behind the same transport and the same checks as ours: what the suite
//! tells apart is then how messages travel, and not which tools there are. It must not be reachable from the product.

use std::time::Duration;

use premath_host::Token;
use premath_mcp::{HttpOptions, listen};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CompletionInfo, CustomRequest, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ServerCapabilities, ServerConfig, ServerNotification, ServerRequest,
    SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::http::TOKEN;

/// One red pixel.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// No sound at all, with a header.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQAAAAA=";
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug, Clone)]
struct Everything;

type Context = RequestContext<RoleServer>;

/// A document as the type that the SDK wants.
fn of<T: DeserializeOwned>(document: Value) -> T {
    serde_json::from_value(document).unwrap()
}

fn text(text: impl Into<String>) -> Value {
    json!({ "content": [{ "type": "text", "text": text.into() }] })
}

/// Asks the client for something, and gives what it answers.
async fn asked(context: &Context, method: &str, params: Value) -> Result<Value, ErrorData> {
    let request = ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
    let answer = context.peer.send_request(request).await;
    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(serde_json::to_value(answer).unwrap())
}

async fn elicited(context: &Context, message: &str, properties: Value) -> Result<Value, ErrorData> {
    let schema = json!({ "type": "object", "properties": properties, "required": [] });
    let params = json!({ "message": message, "requestedSchema": schema });
    let answer = asked(context, "elicitation/create", params).await?;
    let said = format!("Elicitation completed: action={}, content={}", answer["action"], answer["content"]);
    Ok(text(said))
}

async fn told(context: &Context) -> Value {
    for data in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let params = json!({ "level": "info", "data": data });
        let message = json!({ "method": "notifications/message", "params": params });
        context.peer.send_notification(of::<ServerNotification>(message)).await.unwrap();
        tokio::time::sleep(PAUSE).await;
    }
    text("told")
}

async fn progressed(context: &Context) -> Value {
    for progress in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let told = ProgressNotificationParam::new(token, progress).with_total(100.0);
            context.peer.notify_progress(told).await.unwrap();
        }
        tokio::time::sleep(PAUSE).await;
    }
    text("done")
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    json!({
        "untitledSingle": { "type": "string", "enum": plain },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    })
}

fn image() -> Value {
    json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })
}

fn resource(uri: &str, mime: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime, "text": text } })
}

async fn called(name: &str, arguments: &Value, context: &Context) -> Result<Value, ErrorData> {
    let said = |member: &str| arguments[member].as_str().unwrap_or_default().to_owned();
    Ok(match name {
        "test_simple_text" => text("This is a simple text response for testing."),
        "test_image_content" => json!({ "content": [image()] }),
        "test_audio_content" => {
            json!({ "content": [{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }] })
        }
        "test_embedded_resource" => {
            let words = "This is an embedded resource content.";
            json!({ "content": [resource("test://embedded-resource", "text/plain", words)] })
        }
        "test_multiple_content_types" => {
            let data = json!({ "test": "data", "value": 123 }).to_string();
            let mixed = resource("test://mixed-content-resource", "application/json", &data);
            json!({ "content": [{ "type": "text", "text": "Multiple content types test:" }, image(), mixed] })
        }
        "test_error_handling" => {
            let mut refused = text("This tool intentionally returns an error for testing");
            refused["isError"] = json!(true);
            refused
        }
        "test_tool_with_logging" => told(context).await,
        "test_tool_with_progress" => progressed(context).await,
        "test_reconnection" => {
            tokio::time::sleep(PAUSE).await;
            text("here again")
        }
        "test_sampling" => {
            let message = json!({ "role": "user", "content": { "type": "text", "text": said("prompt") } });
            let params = json!({ "messages": [message], "maxTokens": 100 });
            let answer = asked(context, "sampling/createMessage", params).await?;
            text(format!("LLM response: {}", answer["content"]["text"]))
        }
        "test_elicitation" => {
            let field = |description: &str| json!({ "type": "string", "description": description });
            let fields =
                json!({ "username": field("User's response"), "email": field("User's email address") });
            elicited(context, &said("message"), fields).await?
        }
        "test_elicitation_sep1034_defaults" => elicited(context, "Defaults", defaults()).await?,
        "test_elicitation_sep1330_enums" => elicited(context, "Choices", choices()).await?,
        other => return Err(ErrorData::invalid_params(format!("unknown tool `{other}`"), None)),
    })
}

const TOOLS: [&str; 13] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_error_handling",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_reconnection",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
];

fn tools() -> Value {
    let tool = |name: &str| {
        let schema = json!({ "type": "object", "properties": {} });
        json!({ "name": name, "description": "A tool of the suite.", "inputSchema": schema })
    };
    let mut tools: Vec<Value> = TOOLS.iter().map(|name| tool(name)).collect();
    let field = json!({ "type": "string" });
    let address = json!({ "type": "object", "properties": { "street": field, "city": field } });
    let mut newest = tool("json_schema_2020_12_tool");
    newest["inputSchema"] = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": address },
        "properties": { "name": field, "address": { "$ref": "#/$defs/address" } },
        "additionalProperties": false,
    });
    tools.push(newest);
    json!(tools)
}

fn prompt(name: &str, arguments: &Value) -> Option<Value> {
    let said = |member: &str| arguments[member].as_str().unwrap_or_default().to_owned();
    let words = |text: &str| json!({ "type": "text", "text": text });
    let contents = match name {
        "test_simple_prompt" => vec![words("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (said("arg1"), said("arg2"));
            vec![words(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let embedded = "Embedded resource content for testing.";
            vec![
                resource(&said("resourceUri"), "text/plain", embedded),
                words("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![image(), words("Please analyze the image above.")],
        _ => return None,
    };
    let messages: Vec<Value> =
        contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
    Some(json!({ "messages": messages }))
}

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().build();
        let offered = json!({
            "completions": {}, "logging": {}, "prompts": {}, "resources": { "subscribe": true }, "tools": {},
        });
        capabilities.clone_from(&of::<ServerCapabilities>(offered));
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(of(tools())))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = called(&request.name, &arguments, &context).await?;
        Ok(of::<CallToolResult>(result).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let known = json!([
            { "uri": "test://static-text", "name": "text", "mimeType": "text/plain" },
            { "uri": "test://static-binary", "name": "binary", "mimeType": "image/png" },
            { "uri": "test://watched-resource", "name": "watched", "mimeType": "text/plain" },
        ]);
        Ok(ListResourcesResult::with_all_items(of(known)))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let known = json!([{ "uriTemplate": "test://template/{id}/data", "name": "data" }]);
        Ok(ListResourceTemplatesResult::with_all_items(of(known)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &request.uri;
        let filled = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let content = match (uri.as_str(), filled) {
            ("test://static-text", _) => {
                json!({ "mimeType": "text/plain", "text": "This is the content of the static text resource." })
            }
            ("test://static-binary", _) => json!({ "mimeType": "image/png", "blob": PIXEL }),
            ("test://watched-resource", _) => json!({ "mimeType": "text/plain", "text": "watched" }),
            (_, Some(id)) => {
                let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                json!({ "mimeType": "application/json", "text": data.to_string() })
            }
            _ => return Err(ErrorData::resource_not_found("there is no such resource", None)),
        };
        let mut content = content;
        content["uri"] = json!(uri);
        Ok(of::<ReadResourceResult>(json!({ "contents": [content] })).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &str| json!({ "name": name, "description": "a text", "required": true });
        let known = json!([
            { "name": "test_simple_prompt", "description": "words" },
            { "name": "test_prompt_with_arguments", "description": "words", "arguments": [argument("arg1"), argument("arg2")] },
            { "name": "test_prompt_with_embedded_resource", "description": "words", "arguments": [argument("resourceUri")] },
            { "name": "test_prompt_with_image", "description": "words" },
        ]);
        Ok(ListPromptsResult::with_all_items(of(known)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let prompt = prompt(&request.name, &arguments);
        let prompt = prompt.ok_or_else(|| ErrorData::invalid_params("there is no such prompt", None))?;
        Ok(of::<GetPromptResult>(prompt).into())
    }

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Result<CompleteResult, ErrorData> {
        let values = ["paris", "park", "party"].map(str::to_owned).to_vec();
        Ok(CompleteResult::new(CompletionInfo::new(values).unwrap()))
    }

    #[expect(deprecated, reason = "the suite asks for it")]
    async fn set_level(&self, _: rmcp::model::SetLevelRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Result<(), ErrorData> {
        Ok(())
    }
}

/// The example server on a port of its own, until it is dropped.
pub(crate) struct Example {
    pub(crate) address: String,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Example {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (end, ended) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let options = HttpOptions { token: Token::new(TOKEN).unwrap() };
            let ended = async { drop(ended.await) };
            runtime.block_on(listen(listener, Everything, &options, ended)).unwrap();
        });
        Self { address, end: Some(end), thread: Some(thread) }
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        drop(self.end.take());
        drop(self.thread.take().map(std::thread::JoinHandle::join));
    }
}
