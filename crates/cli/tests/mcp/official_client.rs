//! The client of the official Rust SDK against the program, over both transports.

use std::process::Stdio;

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, ReadResourceRequestParams};
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::json;

use crate::http::{Listening, TOKEN};
use crate::peer::repository;

async fn looks_around(client: &RunningService<RoleClient, ()>) {
    let tools = client.list_all_tools().await.unwrap();
    let ready = tools.iter().find(|tool| tool.name == "issue_ready").unwrap();
    assert_eq!(ready.annotations.as_ref().unwrap().read_only_hint, Some(true));
    let arguments = json!({"limit": 10}).as_object().cloned().unwrap();
    let result =
        client.call_tool(CallToolRequestParams::new("issue_ready").with_arguments(arguments)).await.unwrap();
    assert_eq!(result.is_error, Some(false));
    assert_eq!(result.structured_content.unwrap()["payload"]["count"], 1);
    let refused = client.call_tool(
        CallToolRequestParams::new("issue_add")
            .with_arguments(json!({"title": "x"}).as_object().cloned().unwrap()),
    );
    assert_eq!(refused.await.unwrap().is_error, Some(true));
    assert!(client.call_tool(CallToolRequestParams::new("issue_eat")).await.is_err());
    assert_eq!(client.list_all_prompts().await.unwrap().len(), 3);
    let read = client.read_resource(ReadResourceRequestParams::new("premath://issues/bd-1")).await.unwrap();
    assert!(serde_json::to_string(&read).unwrap().contains("First"));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

#[test]
fn the_official_client_works_over_standard_streams() {
    let folder = repository();
    runtime().block_on(async {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_premath"));
        command.arg("mcp-serve").env_clear().env("XDG_STATE_HOME", folder.state()).current_dir(folder.path());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let streams = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let client = ().serve(streams).await.unwrap();
        looks_around(&client).await;
        client.cancel().await.unwrap();
        assert_eq!(child.wait().await.unwrap().code(), Some(0));
    });
}

#[test]
fn the_official_client_works_over_http() {
    // The client is built for encrypted connections too, though this one is none.
    drop(rustls::crypto::ring::default_provider().install_default());
    let folder = repository();
    let server = Listening::new(&folder, Some(TOKEN));
    runtime().block_on(async {
        let config = StreamableHttpClientTransportConfig::with_uri(format!("http://{}/mcp", server.address))
            .auth_header(TOKEN);
        let client = ().serve(StreamableHttpClientTransport::from_config(config)).await.unwrap();
        looks_around(&client).await;
        client.cancel().await.unwrap();
    });
}
