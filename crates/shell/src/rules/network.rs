//! Connections to other machines: shells on them, sockets, names that carry data.

use super::{Call, transfers};
use crate::arg::Arg;
use crate::flow::{Flow, Origin};
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "ssh" | "autossh" | "mosh" | "sshpass" | "telnet" | "rsh" | "plink" => Some(ssh(interpreter, call)),
        "nc" | "ncat" | "netcat" | "socat" => {
            socket(interpreter, call);
            Some(Flow { text: None, origin: Origin { network: true, ..Origin::default() } })
        }
        "dig" | "nslookup" | "host" | "ping" | "ping6" | "drill" | "traceroute" | "whois" => {
            for word in call.args {
                if word.has_output || word.origin.secret {
                    let reason = "sends what a command prints as a name to look up";
                    interpreter.ask(RiskClass::Exfiltration, Reach::Network, reason);
                }
                transfers::sent_word(interpreter, word);
            }
            Some(Flow::output())
        }
        "mail" | "mailx" | "mutt" | "sendmail" | "msmtp" | "swaks" | "s-nail" => {
            interpreter.ask(RiskClass::Exfiltration, Reach::Network, "sends mail");
            Some(Flow::output())
        }
        "openssl" if call.args.first().is_some_and(|arg| arg.is("s_client")) => {
            sends_input(interpreter, call.input);
            Some(Flow { text: None, origin: Origin { network: true, ..Origin::default() } })
        }
        "ngrok" | "cloudflared" | "localtunnel" | "lt" | "bore" | "tailscale" | "chisel" | "frpc" => {
            interpreter.ask(RiskClass::Exfiltration, Reach::Network, "opens this machine to another one");
            Some(Flow::output())
        }
        _ => None,
    }
}

/// Input that is sent to another machine.
pub(super) fn sends_input(interpreter: &mut Interpreter<'_>, input: &Flow) {
    if input.origin.secret {
        interpreter.deny(RiskClass::Exfiltration, Reach::Network, "sends credentials to another machine");
    } else if input.is_data() && *input != Flow::terminal() {
        interpreter.ask(
            RiskClass::Exfiltration,
            Reach::Network,
            "sends files or the output of commands to another machine",
        );
    }
}

/// Whether an address is this machine.
pub(super) fn is_local(address: &Arg) -> bool {
    let shown = address.shown();
    let rest = shown.split_once("://").map_or(shown.as_str(), |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    matches!(host.as_str(), "localhost" | "::1" | "0.0.0.0" | "" | "host.docker.internal")
        || host.ends_with(".localhost")
        || (host.starts_with("127.") && host.split('.').all(|part| part.parse::<u8>().is_ok()))
}

/// Options of `ssh` that take a value.
const SSH_VALUED: [&str; 18] = [
    "-i", "-p", "-l", "-o", "-F", "-J", "-L", "-R", "-D", "-W", "-b", "-c", "-E", "-e", "-m", "-O", "-S",
    "-w",
];

fn ssh(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Flow {
    for option in call.values(&["-o"]) {
        ssh_option(interpreter, &option);
    }
    if !call.values(&["-R"]).is_empty()
        || !call.values(&["-D"]).is_empty()
        || !call.values(&["-W"]).is_empty()
    {
        interpreter.ask(RiskClass::Exfiltration, Reach::Network, "opens a tunnel to another machine");
    }
    let mut args = call.args.iter();
    let mut rest = Vec::new();
    while let Some(arg) = args.next() {
        if arg.is_option() {
            if SSH_VALUED.contains(&arg.text.as_str()) {
                args.next();
            }
            continue;
        }
        // The host; behind it the command, options and all.
        rest = args.collect();
        break;
    }
    sends_input(interpreter, call.input);
    if call.name == "telnet" || rest.is_empty() {
        return Flow::output();
    }
    let mut text = Arg::default();
    for (index, word) in rest.into_iter().enumerate() {
        if index > 0 {
            text.text.push(' ');
        }
        text.text.push_str(&word.text);
        text.origin = text.origin.or(word.origin);
    }
    let folder = interpreter.state.folder.replace("~".to_owned());
    interpreter.run_argument(&text, &[], Flow::terminal());
    interpreter.state.folder = folder;
    Flow { text: None, origin: Origin { network: true, ..Origin::default() } }
}

/// Options of `ssh` that run a command here.
pub(super) fn ssh_option(interpreter: &mut Interpreter<'_>, option: &Arg) {
    let Some((key, value)) = option.text.split_once(['=', ' ']) else { return };
    if matches!(key.to_ascii_lowercase().as_str(), "proxycommand" | "localcommand" | "knownhostscommand") {
        interpreter.run_argument(&option.with_text(value), &[], Flow::output());
    }
}

fn socket(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let text = call.joined();
    let runs = call.has('e', "--exec")
        || call.has('c', "--sh-exec")
        || text.to_ascii_lowercase().contains("exec:")
        || text.to_ascii_lowercase().contains("system:");
    if runs {
        interpreter.deny(RiskClass::Exfiltration, Reach::Network, "connects a shell to another machine");
        return;
    }
    if call.has('z', "") {
        return;
    }
    let is_all_local =
        call.positionals(&["-w", "-p", "-s", "-q", "-i"]).first().is_some_and(|host| is_local(host));
    if is_all_local && call.name != "socat" {
        return;
    }
    if call.has('l', "--listen") {
        interpreter.ask(RiskClass::Exfiltration, Reach::Network, "waits for a connection of another machine");
    }
    sends_input(interpreter, call.input);
    if call.input.text.is_none() && *call.input == Flow::terminal() {
        interpreter.ask(RiskClass::Exfiltration, Reach::Network, "opens a connection to another machine");
    }
}
