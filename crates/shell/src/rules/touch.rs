//! What becomes of a path: read, written, emptied, deleted.

use crate::arg::Arg;
use crate::ast::{Redirect, RedirectKind};
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};
use crate::scene::{Place, Zone};

impl Interpreter<'_> {
    /// A path that is read.
    pub(crate) fn read(&mut self, path: &Arg) {
        let place = self.place(path);
        if let Some(what) = self.scene.own(&place) {
            let is_key =
                place.could_have("person.key") || what == "premath's own state" || place.could_have("state");
            if is_key {
                self.deny(RiskClass::OwnFiles, Reach::Workspace, "reads what premath signs and decides with");
            } else if place.could_have(".premath") {
                self.ask(RiskClass::OwnFiles, Reach::Workspace, "reads premath's own files");
            }
            return;
        }
        if !self.scene.is_secret(&place) {
            return;
        }
        if place.inside.is_some() {
            self.ask(
                RiskClass::Secrets,
                Reach::Workspace,
                "reads a file whose name says that it holds credentials",
            );
        } else {
            self.deny(RiskClass::Secrets, Reach::Machine, "reads credentials outside of the repository");
        }
    }

    /// A path that is written.
    pub(crate) fn write(&mut self, path: &Arg) {
        if self.create(path) {
            return;
        }
        let place = self.place(path);
        match self.scene.zone(&place) {
            Zone::System => self.ask(RiskClass::Destructive, Reach::Machine, "writes a file of the system"),
            Zone::Outside => {
                self.ask(RiskClass::Destructive, Reach::Machine, "writes a file outside of the repository")
            }
            Zone::Workspace | Zone::Temporary | Zone::Sink | Zone::Device | Zone::Unknown => {}
        }
    }

    /// A path that is created, or written without losing what was there; whether something stands against it.
    pub(crate) fn create(&mut self, path: &Arg) -> bool {
        let place = self.place(path);
        if let Some(what) = self.scene.own(&place) {
            self.deny(RiskClass::OwnFiles, Reach::Workspace, format!("changes {what}"));
            return true;
        }
        let is_protected = self.protected(&place, "changes");
        if self.scene.is_startup(&place) {
            let reason = "changes a file that is run or read at every login, by a timer or by a service";
            if place.whole.starts_with('~') && !place.could_have(".ssh") {
                self.ask(RiskClass::Persistence, Reach::Machine, reason);
            } else {
                self.deny(RiskClass::Persistence, Reach::Machine, reason);
            }
            return true;
        }
        if self.scene.zone(&place) == Zone::Device {
            self.deny(RiskClass::Destructive, Reach::Machine, "writes to a device");
            return true;
        }
        is_protected
    }

    /// A path that other programs execute or obey; whether it is one.
    pub(crate) fn protected(&mut self, place: &Place, what: &str) -> bool {
        let is_protected = self.scene.is_protected(place);
        if is_protected {
            let reason = format!("{what} a file that other programs execute or obey");
            self.ask(RiskClass::Persistence, Reach::Workspace, reason);
        }
        is_protected
    }

    /// A path whose permissions or owner change.
    pub(crate) fn guarded(&mut self, path: &Arg) -> bool {
        let place = self.place(path);
        let own = self.scene.own(&place);
        if let Some(what) = own {
            self.deny(RiskClass::OwnFiles, Reach::Workspace, format!("changes {what}"));
            return true;
        }
        self.protected(&place, "changes")
    }

    /// A path that a program gets which may do anything with it.
    pub(crate) fn touch_unknown(&mut self, path: &Arg) {
        let text = path.text.rsplit_once('=').map_or(path.text.as_str(), |(_, value)| value);
        let looks_like_a_path = !text.contains(char::is_whitespace) && text.len() < 4_096;
        if !looks_like_a_path {
            return;
        }
        let path = path.with_text(text);
        let place = self.place(&path);
        if let Some(what) = self.scene.own(&place) {
            self.ask(RiskClass::OwnFiles, Reach::Workspace, format!("may change {what}"));
        } else if self.scene.is_secret(&place) && place.inside.is_none() && text.contains('/') {
            self.ask(RiskClass::Secrets, Reach::Machine, "is given credentials outside of the repository");
        }
    }

    /// A path that is emptied.
    pub(crate) fn empty(&mut self, path: &Arg) {
        let place = self.place(path);
        let is_harmless = match self.scene.zone(&place) {
            Zone::Workspace => self.scene.is_generated(&place) || self.scene.is_disposable(place.name()),
            Zone::Temporary | Zone::Sink | Zone::Unknown => true,
            Zone::Device | Zone::System | Zone::Outside => false,
        };
        if self.scene.own(&place).is_some() || self.scene.is_protected(&place) {
            self.write(path);
        } else if !is_harmless {
            let reach = if place.inside.is_some() { Reach::Workspace } else { Reach::Machine };
            self.ask(RiskClass::Destructive, reach, "empties a file");
        }
    }

    /// Files that redirections empty.
    pub(crate) fn truncations(&mut self, redirects: &[Redirect]) {
        for redirect in redirects.iter().filter(|redirect| redirect.kind == RedirectKind::Write) {
            for path in self.expand_all(&redirect.target) {
                self.empty(&path);
            }
        }
    }

    /// A path that is deleted.
    pub(crate) fn delete(&mut self, path: &Arg, is_recursive: bool) {
        let place = self.place(path);
        if let Some(what) = self.scene.own(&place) {
            self.deny(RiskClass::OwnFiles, Reach::Workspace, format!("deletes {what}"));
            return;
        }
        self.protected(&place, "deletes");
        if is_recursive && self.scene.holds_root(&place) {
            self.deny(RiskClass::Destructive, Reach::Workspace, "deletes the repository");
            return;
        }
        match self.scene.zone(&place) {
            Zone::System | Zone::Device => {
                self.deny(RiskClass::Destructive, Reach::Machine, "deletes files of the system");
            }
            Zone::Outside if is_recursive || place.is_everything() || place.whole == "~" => {
                self.deny(
                    RiskClass::Destructive,
                    Reach::Machine,
                    "deletes folders outside of the repository",
                );
            }
            Zone::Outside => {
                self.ask(RiskClass::Destructive, Reach::Machine, "deletes a file outside of the repository");
            }
            Zone::Unknown if is_recursive || path.has_output => {
                self.ask(RiskClass::Destructive, Reach::Machine, "deletes what is only known when it runs");
            }
            Zone::Temporary if place.is_everything() => {
                self.ask(RiskClass::Destructive, Reach::Machine, "deletes temporary files of other programs");
            }
            Zone::Workspace => self.delete_inside(&place, is_recursive),
            Zone::Temporary | Zone::Sink | Zone::Unknown => {}
        }
    }

    fn delete_inside(&mut self, place: &crate::scene::Place, is_recursive: bool) {
        let inside = place.inside.as_deref().unwrap_or_default();
        if inside.is_empty() || place.could_have(".git") {
            self.deny(RiskClass::Destructive, Reach::Workspace, "deletes the repository");
        } else if self.scene.is_generated(place) || self.scene.is_disposable(place.name()) {
        } else if place.is_everything() || inside.contains(crate::arg::is_mark) {
            self.ask(
                RiskClass::Destructive,
                Reach::Workspace,
                "deletes many files of the repository at once",
            );
        } else if is_recursive {
            self.ask(RiskClass::Destructive, Reach::Workspace, "deletes a folder of the repository");
        } else if self.scene.is_secret(place) {
            self.ask(RiskClass::Destructive, Reach::Workspace, "deletes a file that holds credentials");
        }
    }
}
