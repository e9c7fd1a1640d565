//! Command lines of clouds, clusters and code hosts: what they delete, publish or reveal elsewhere.

use super::{Call, begins};
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// Words that delete, wherever they stand among the first of a command.
const DELETING: [&str; 19] = [
    "delete",
    "destroy",
    "rm",
    "rb",
    "remove",
    "purge",
    "terminate",
    "terminate-instances",
    "drain",
    "uninstall",
    "delete-bucket",
    "delete-stack",
    "delete-object",
    "delete-objects",
    "delete-table",
    "delete-db-instance",
    "apps:destroy",
    "pg:reset",
    "rollback",
];

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    let valued: &[&str] = match call.name {
        "kubectl" | "oc" | "helm" | "k9s" => &[
            "-n",
            "--namespace",
            "--context",
            "-f",
            "--filename",
            "-o",
            "--output",
            "-l",
            "-c",
            "--kubeconfig",
        ],
        "aws" => &["--profile", "--region", "--output", "--query", "--endpoint-url"],
        "gh" | "glab" => &[
            "-R", "--repo", "--json", "-q", "--jq", "-t", "--title", "-b", "--body", "--label", "-H",
            "--head", "-B", "--base",
        ],
        "terraform" | "tofu" | "terragrunt" | "pulumi" | "gcloud" | "gsutil" | "az" | "doctl" | "heroku"
        | "flyctl" | "fly" | "vercel" | "netlify" | "wrangler" | "firebase" | "supabase" | "railway"
        | "eksctl" | "serverless" | "sls" | "cdk" | "s3cmd" | "mc" | "bq" | "linode-cli" | "hcloud"
        | "ansible" | "ansible-playbook" | "vagrant" | "multipass" | "limactl" => &[],
        _ => return None,
    };
    let words = call.words(valued);
    deletes(interpreter, call, &words);
    sends(interpreter, call, &words);
    match call.name {
        "kubectl" | "oc" => cluster(interpreter, call, &words),
        "terraform" | "tofu" | "terragrunt" | "pulumi" | "cdk"
            if ["apply", "up", "deploy", "state rm", "taint"].iter().any(|verb| begins(&words, verb)) =>
        {
            let reason = "changes machines and services elsewhere";
            interpreter.ask(RiskClass::Destructive, Reach::Network, reason);
        }
        "ansible" | "ansible-playbook"
            if !call.mentions("--check")
                && !call.mentions("--syntax-check")
                && !call.mentions("--list-hosts") =>
        {
            interpreter.ask(RiskClass::Destructive, Reach::Network, "changes other machines");
        }
        "gh" | "glab" => code_host(interpreter, call, &words),
        _ => {}
    }
    Some(Flow::output())
}

fn deletes(interpreter: &mut Interpreter<'_>, call: &Call<'_>, words: &[String]) {
    let is_dry = call.mentions("--dry-run") || call.mentions("--dryrun") || call.mentions("--dry-run=client");
    let is_deleting =
        words.iter().take(4).any(|word| DELETING.contains(&word.as_str()) || word.starts_with("delete-"));
    if is_deleting && !is_dry {
        interpreter.ask(RiskClass::Destructive, Reach::Network, "deletes something on another machine");
    }
    let drops = call.has('\0', "--delete") && words.iter().any(|word| word == "sync" || word == "rsync");
    if drops {
        interpreter.ask(RiskClass::Destructive, Reach::Network, "deletes files on another machine");
    }
}

/// Uploads to buckets.
fn sends(interpreter: &mut Interpreter<'_>, call: &Call<'_>, words: &[String]) {
    let is_bucket =
        |word: &String| ["s3://", "gs://", "az://", "b2://"].iter().any(|scheme| word.starts_with(scheme));
    let copies = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "cp" | "mv" | "sync" | "rsync" | "put" | "upload" | "upload-batch" | "put-object" | "mirror"
        )
    });
    let target_is_bucket = words.last().is_some_and(is_bucket);
    let uploads = words
        .iter()
        .any(|word| matches!(word.as_str(), "upload" | "upload-batch" | "put-object" | "put" | "mirror"));
    let is_storage = matches!(call.name, "aws" | "gsutil" | "gcloud" | "az" | "s3cmd" | "mc" | "bq");
    if is_storage && copies && (target_is_bucket || uploads) {
        interpreter.ask(RiskClass::Exfiltration, Reach::Network, "sends files to another machine");
    }
}

fn cluster(interpreter: &mut Interpreter<'_>, call: &Call<'_>, words: &[String]) {
    let is_secret = words.iter().any(|word| {
        word == "secret" || word == "secrets" || word.starts_with("secret/") || word.starts_with("secrets/")
    });
    let prints = call
        .values(&["-o", "--output"])
        .iter()
        .any(|form| !form.text.starts_with("name") && !form.text.starts_with("wide"));
    if begins(words, "get") && is_secret && prints
        || begins(words, "config view") && call.mentions("--raw")
        || begins(words, "create token")
    {
        interpreter.ask(RiskClass::Secrets, Reach::Network, "prints credentials of a cluster");
    }
    let changes = [
        "apply", "replace", "patch", "scale", "edit", "set", "rollout", "cordon", "taint", "label",
        "annotate", "create",
    ];
    if words.first().is_some_and(|first| changes.contains(&first.as_str()))
        && !call.joined().contains("--dry-run")
        && !begins(words, "rollout status")
        && !begins(words, "rollout history")
    {
        interpreter.ask(RiskClass::Destructive, Reach::Network, "changes a cluster");
    }
    if begins(words, "cp") {
        interpreter.ask(RiskClass::Exfiltration, Reach::Network, "copies files to or from a cluster");
    }
    if begins(words, "exec")
        && let Some(index) = call.args.iter().position(|arg| arg.is("--"))
    {
        let folder = interpreter.state.folder.replace("/container".to_owned());
        interpreter.run(call.args.get(index + 1..).unwrap_or_default().to_vec(), Flow::terminal());
        interpreter.state.folder = folder;
    }
}

fn code_host(interpreter: &mut Interpreter<'_>, call: &Call<'_>, words: &[String]) {
    if begins(words, "auth token") || begins(words, "auth status") && call.has('t', "--show-token") {
        interpreter.deny(RiskClass::Secrets, Reach::Machine, "prints a credential");
    } else if begins(words, "gist create") || begins(words, "release upload") || begins(words, "gist edit") {
        interpreter.ask(RiskClass::Exfiltration, Reach::Network, "publishes files");
    } else if begins(words, "secret set")
        || begins(words, "variable set")
        || begins(words, "ssh-key add")
        || begins(words, "gpg-key add")
        || begins(words, "repo edit")
        || begins(words, "repo archive")
        || begins(words, "repo rename")
    {
        interpreter.ask(
            RiskClass::Persistence,
            Reach::Network,
            "changes settings of a repository or an account",
        );
    } else if begins(words, "extension install") {
        interpreter.ask(RiskClass::Install, Reach::Network, "installs a program from the network");
    } else if begins(words, "api")
        && call.values(&["-X", "--method"]).iter().any(|method| method.text.eq_ignore_ascii_case("delete"))
    {
        interpreter.ask(RiskClass::Destructive, Reach::Network, "deletes something on another machine");
    } else if begins(words, "alias set") || begins(words, "config set") {
        interpreter.ask(RiskClass::Persistence, Reach::Machine, "changes what later commands do");
    }
}
