//! Redirections: what a command reads from, and the files it writes.

use super::Interpreter;
use crate::arg::Arg;
use crate::ast::{Redirect, RedirectKind};
use crate::flow::{Flow, Origin};
use crate::risk::{Reach, RiskClass};
use crate::scene::Zone;

impl Interpreter<'_> {
    /// Checks redirections, and returns what the command reads.
    pub(super) fn redirect(&mut self, redirects: &[Redirect], mut input: Flow) -> Flow {
        for redirect in redirects {
            match redirect.kind {
                RedirectKind::Document => {
                    let word = redirect.document.get().cloned().unwrap_or_default();
                    input = self.text_of(&word);
                }
                RedirectKind::HereString => {
                    input = self.text_of(&redirect.target);
                    input.text = input.text.map(|text| text + "\n");
                }
                RedirectKind::Read => {
                    for path in self.expand_all(&redirect.target) {
                        input = self.input_file(&path);
                    }
                }
                RedirectKind::Write | RedirectKind::Append | RedirectKind::ReadWrite => {
                    for path in self.expand_all(&redirect.target) {
                        self.output_file(&path);
                    }
                }
                RedirectKind::DuplicateInput => {
                    for path in self.expand_all(&redirect.target) {
                        if !matches!(path.text.as_str(), "0" | "-") {
                            input = Flow::output();
                        }
                    }
                }
                RedirectKind::Duplicate => {
                    for path in self.expand_all(&redirect.target) {
                        let is_descriptor = path.text.chars().all(|one| one.is_ascii_digit() || one == '-');
                        if !is_descriptor && !path.has_unknown() {
                            self.output_file(&path);
                        }
                    }
                }
            }
        }
        input
    }

    /// A word as the text that a command reads.
    fn text_of(&mut self, word: &crate::ast::Word) -> Flow {
        let args = self.expand_quoted(word);
        let origin = args.iter().fold(Origin::default(), |origin, arg| origin.or(arg.origin));
        let text = args.iter().map(|arg| arg.plain()).collect::<Option<Vec<_>>>().map(|all| all.concat());
        Flow { text, origin }
    }

    /// A file that a command reads.
    pub(crate) fn input_file(&mut self, path: &Arg) -> Flow {
        if let Some(process) = &path.process {
            return (**process).clone();
        }
        let place = self.place(path);
        if place.whole == "/dev/null" {
            return Flow::empty();
        }
        if place.whole.starts_with("/dev/tcp/") || place.whole.starts_with("/dev/udp/") {
            self.socket();
            return Flow { text: None, origin: Origin { network: true, ..Origin::default() } };
        }
        self.read(path);
        if let Some(flow) = self.state.files.get(&place.whole) {
            return flow.clone();
        }
        let origin = Origin {
            local: true,
            secret: self.scene.is_secret(&place),
            script: place.inside.is_some(),
            ..Origin::default()
        };
        Flow { text: None, origin }
    }

    fn output_file(&mut self, path: &Arg) {
        let place = self.place(path);
        if place.whole.starts_with("/dev/tcp/") || place.whole.starts_with("/dev/udp/") {
            self.socket();
            return;
        }
        if self.scene.zone(&place) != Zone::Sink {
            self.write(path);
        }
    }

    fn socket(&mut self) {
        self.deny(
            RiskClass::Exfiltration,
            Reach::Network,
            "opens a connection to another machine from the shell",
        );
    }

    /// Remembers what was written into files.
    pub(super) fn keep_output(&mut self, redirects: &[Redirect], flow: &Flow) {
        for redirect in redirects {
            if !matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append) {
                continue;
            }
            for path in self.expand_all(&redirect.target) {
                self.keep_file(&path, flow.clone());
            }
        }
    }

    /// Remembers what is in a file.
    pub(crate) fn keep_file(&mut self, path: &Arg, flow: Flow) {
        if path.plain().is_some() && self.state.files.len() < 64 {
            let place = self.place(path);
            self.state.files.insert(place.whole, flow);
        }
    }
}
