//! Calls that panic.

use std::path::PathBuf;
use std::sync::Arc;

use axum::http::StatusCode;
use premath_bd::{OperatorBasis, OperatorGrant, OsClock, OsDisk, OsIds, Permit};
use premath_host::{
    Case, DoorRefusal, Host, MutationDoor, NoAgent, NoModels, NoSandbox, Settings, SourceError, VectorSource,
    Workspace,
};

use super::{WORKERS, with_workers};

#[derive(Debug)]
struct Operator;

impl MutationDoor for Operator {
    fn permit(&self, _: &str) -> Result<Permit, DoorRefusal> {
        Ok(Permit::Operator(OperatorGrant::new(None, OperatorBasis::Configured)))
    }
}

#[derive(Debug)]
struct NoVectors;

impl VectorSource for NoVectors {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        Ok(Vec::new())
    }
}

fn workspace() -> Workspace {
    Workspace {
        disk: Arc::new(OsDisk),
        clock: Arc::new(OsClock),
        ids: Arc::new(OsIds),
        root: PathBuf::from("nowhere"),
        door: Arc::new(Operator),
        settings: Settings::default(),
        redactor: premath_bd::Redactor::default(),
        retention: premath_host::Retention::default(),
        packages: premath_host::PolicyPackages::default(),
        receipts: premath_bd::AuditReceipts::default(),
    }
}

#[test]
fn calls_and_runs_that_panic_take_one_answer_each_and_the_next_call_is_made() {
    let workspace = workspace();
    let host = Host {
        vectors: &NoVectors,
        workspace: &workspace,
        models: &NoModels,
        sandbox: &NoSandbox,
        agent: &NoAgent,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    with_workers(&host, |calls| {
        // More of them than there are threads: a thread that died would be missed.
        for _ in 0..3 * WORKERS {
            let broken = runtime.block_on(calls.call(|_| -> u64 { panic!("the call panics") }));
            assert_eq!(broken.unwrap_err().status, StatusCode::INTERNAL_SERVER_ERROR);
            calls.spawn(Box::new(|_| panic!("the run panics"))).unwrap();
        }
        assert_eq!(runtime.block_on(calls.call(|_| 7)).unwrap(), 7);
        let (said, heard) = std::sync::mpsc::channel();
        calls.spawn(Box::new(move |_| said.send(8).unwrap())).unwrap();
        assert_eq!(heard.recv(), Ok(8));
    });
}
