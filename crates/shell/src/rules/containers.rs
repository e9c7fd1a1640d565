//! Containers: what of this machine they get, and what of theirs is deleted.

use super::{Call, begins};
use crate::arg::Arg;
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// Registries that images usually come from.
const REGISTRIES: [&str; 10] = [
    "docker.io",
    "ghcr.io",
    "quay.io",
    "gcr.io",
    "mcr.microsoft.com",
    "registry.k8s.io",
    "public.ecr.aws",
    "localhost",
    "registry.gitlab.com",
    "docker.elastic.co",
];

/// Options of `docker run` and `docker exec` that take a value.
const VALUED: [&str; 30] = [
    "-v",
    "--volume",
    "--mount",
    "-e",
    "--env",
    "--env-file",
    "-p",
    "--publish",
    "--name",
    "-w",
    "--workdir",
    "-u",
    "--user",
    "--network",
    "--net",
    "--entrypoint",
    "-h",
    "--hostname",
    "-l",
    "--label",
    "--platform",
    "-m",
    "--memory",
    "--cpus",
    "--pid",
    "--ipc",
    "--cap-add",
    "--device",
    "--security-opt",
    "--add-host",
];

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "docker" | "podman" | "nerdctl" | "docker-compose" | "finch" => {}
        _ => return None,
    }
    let words = call.words(&["-f", "--file", "-p", "--project-name", "--context", "-H", "--host"]);
    let words: Vec<String> = match words.first().map(String::as_str) {
        Some("container" | "image") => words.get(1..).unwrap_or_default().to_vec(),
        _ => words,
    };
    match words.first().map(String::as_str) {
        Some("run" | "create") => run(interpreter, call),
        Some("exec") => exec(interpreter, call),
        Some("push") => interpreter.ask(RiskClass::Exfiltration, Reach::Network, "publishes an image"),
        Some("cp") => copies(interpreter, call),
        Some("login") => {
            interpreter.ask(RiskClass::Secrets, Reach::Network, "handles the credentials of a registry")
        }
        _ => removals(interpreter, call, &words),
    }
    Some(Flow::output())
}

fn removals(interpreter: &mut Interpreter<'_>, call: &Call<'_>, words: &[String]) {
    let is_compose = call.name == "docker-compose" || begins(words, "compose");
    let drops_volumes = is_compose
        && (call.has('v', "--volumes") || call.has('\0', "--rmi"))
        && words.iter().any(|word| word == "down" || word == "rm");
    let prunes = words.iter().any(|word| word == "prune");
    let removes = begins(words, "volume rm")
        || begins(words, "rmi") && call.has('f', "--force")
        || begins(words, "network rm")
        || begins(words, "swarm leave")
        || begins(words, "secret rm");
    if drops_volumes || prunes || removes {
        interpreter.ask(
            RiskClass::Destructive,
            Reach::Machine,
            "deletes containers, images or volumes with their data",
        );
    }
    if is_compose && words.iter().any(|word| word == "run" || word == "exec") {
        exec(interpreter, call);
    }
}

fn run(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let is_privileged = call.mentions("--privileged")
        || call.values(&["--pid", "--ipc", "--userns"]).iter().any(|value| value.is("host"))
        || call.values(&["--cap-add"]).iter().any(|value| {
            matches!(
                value.text.to_ascii_uppercase().as_str(),
                "ALL" | "SYS_ADMIN" | "SYS_PTRACE" | "SYS_MODULE"
            )
        })
        || !call.values(&["--device"]).is_empty();
    if is_privileged {
        interpreter.deny(
            RiskClass::Privilege,
            Reach::Machine,
            "starts a container with the rights of the machine",
        );
    }
    for volume in call.values(&["-v", "--volume"]) {
        let source = volume.text.split(':').next().unwrap_or_default().to_owned();
        mounted(interpreter, &volume.with_text(source));
    }
    for mount in call.values(&["--mount"]) {
        let source = mount
            .text
            .split(',')
            .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")));
        if let Some(source) = source.map(str::to_owned) {
            mounted(interpreter, &mount.with_text(source));
        }
    }
    let words = call.positionals(&VALUED);
    let Some(image) = words.get(1) else { return };
    let host = image.text.split('/').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default();
    let is_other = image.text.contains('/') && host.contains('.') && !REGISTRIES.contains(&host);
    if is_other {
        interpreter.ask(RiskClass::Install, Reach::Network, "runs an image from an unusual registry");
    }
}

/// A folder of this machine that a container gets.
fn mounted(interpreter: &mut Interpreter<'_>, source: &Arg) {
    if !source.text.starts_with(['/', '~', '.', crate::arg::UNKNOWN]) {
        return;
    }
    let place = interpreter.place(source);
    if place.whole.contains("docker.sock")
        || place.whole.contains("containerd.sock")
        || place.whole.contains("podman.sock")
    {
        interpreter.deny(RiskClass::Privilege, Reach::Machine, "gives a container control of all others");
    } else if place.whole == "/"
        || place.whole == "~"
        || place.whole.starts_with("/etc")
        || place.whole.starts_with("/var/run")
        || place.whole.starts_with("/proc")
        || place.whole.starts_with("/dev")
    {
        interpreter.deny(RiskClass::Privilege, Reach::Machine, "gives a container the files of this machine");
    } else if interpreter.scene.is_secret(&place) || place.could_have(".ssh") || place.could_have(".aws") {
        interpreter.deny(RiskClass::Secrets, Reach::Machine, "gives a container credentials");
    } else {
        interpreter.guarded(source);
    }
}

/// A command in a container: what it does there is looked at as if it were done here, folders apart.
fn exec(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.positionals(&VALUED);
    let Some(position) = words.iter().position(|word| word.is("exec") || word.is("run")) else { return };
    let command: Vec<Arg> =
        words.get(position + 2..).unwrap_or_default().iter().map(|arg| (*arg).clone()).collect();
    // Options of the command are not among the words; find them in the arguments again.
    let Some(first) = command.first() else { return };
    let Some(start) = call.args.iter().rposition(|arg| arg == first) else { return };
    let folder = interpreter.state.folder.replace("/container".to_owned());
    interpreter.run(call.args.get(start..).unwrap_or_default().to_vec(), call.input.clone());
    interpreter.state.folder = folder;
}

fn copies(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    for path in call.positionals(&[]).into_iter().skip(1).filter(|path| !path.text.contains(':')) {
        interpreter.touch_unknown(path);
        interpreter.read(path);
    }
}
