//! Where each lane lives: with the repository, so that git brings it to every clone, or on the machine that made it.
//!
//! `.premath/.gitignore` keeps the second kind out of git. What a clone cites of them and never had is `not_here`, not damage.
//! It must not name a lane that is only derived; those are rebuilt.

/// Whether git tracks a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locality {
    /// Git tracks it: every clone has it.
    Tracked,
    /// It stays on the machine that made it.
    Machine,
}

impl Locality {
    /// The word for it.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Tracked => "tracked",
            Self::Machine => "machine-local",
        }
    }
}

/// One lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LanePlace {
    /// Its file or folder, from the root of the repository; a folder ends with a slash.
    pub path: &'static str,
    /// Where it lives.
    pub locality: Locality,
    /// Why there.
    pub why: &'static str,
}

const fn tracked(path: &'static str, why: &'static str) -> LanePlace {
    LanePlace { path, locality: Locality::Tracked, why }
}

const fn machine(path: &'static str, why: &'static str) -> LanePlace {
    LanePlace { path, locality: Locality::Machine, why }
}

/// Every lane, sorted by path.
pub const LANE_PLACES: [LanePlace; 21] = [
    machine(".premath/*.db", "the desk: drafts, approvals and conversations of the people at this machine"),
    machine(".premath/*.head", "anchors: they say what this machine wrote, and what came with the clone"),
    machine(".premath/audit.jsonl", "who decided and changed what on this machine, signed with its key"),
    machine(".premath/backup/", "copies that repairs on this machine made"),
    machine(".premath/coordinator.json", "how many workers ran at once on this machine"),
    machine(".premath/doors/", "turns of clients that were connected to this machine"),
    machine(
        ".premath/harness_feature_ledger.json",
        "what this clone works through; issue memory says what is done",
    ),
    machine(".premath/harness_kpi_remediations.jsonl", "what was done about a rollback of this clone's work"),
    machine(".premath/harness_session.json", "the handoff to whoever continues on this machine"),
    machine(
        ".premath/harness_trajectory.jsonl",
        "the steps of this clone, whose evidence is on this machine",
    ),
    machine(".premath/instructions/", "envelopes that premath wrote for runs on this machine"),
    tracked(".premath/issues.jsonl", "the memory of the project; its history lies beside it"),
    machine(".premath/model_circuits.json", "which providers cool down for this machine"),
    machine(".premath/objects/", "payloads of runs: large, and as private as what was said in them"),
    machine(".premath/permits/", "a permit is spent once, on the machine that issued its instruction"),
    tracked(".premath/policy/", "which packages were in force, and since when, is the project's to know"),
    tracked(".premath/reports/", "measurements that promotions rest on"),
    machine(".premath/runs/", "journals of runs: what was said and done, in full"),
    machine(".premath/tool_pins.json", "what one person approved of other servers"),
    machine(".premath/witnesses/", "records of decisions of this clone, cited by its logs"),
    machine(".premath/workers/", "the journals and handoffs of workers on this machine"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::GITIGNORE;

    /// Patterns that are derived, or of writers that were killed: no lanes.
    const DERIVED: [&str; 5] = ["*.lock", "*.index", "*.tmp", "*.torn", "*.db-*"];

    #[test]
    fn git_ignores_exactly_the_lanes_that_stay_on_their_machine() {
        let ignored: Vec<&str> = GITIGNORE.lines().filter(|line| !line.starts_with('#')).collect();
        for place in LANE_PLACES {
            let name = place.path.strip_prefix(".premath/").unwrap_or(place.path);
            let is_ignored = ignored.iter().any(|line| line.trim_start_matches('/') == name);
            assert_eq!(is_ignored, place.locality == Locality::Machine, "{}", place.path);
        }
        let is_declared = |line: &&str| {
            let name = line.trim_start_matches('/');
            LANE_PLACES.iter().any(|place| place.path.strip_prefix(".premath/") == Some(name))
        };
        let undeclared: Vec<&str> =
            ignored.into_iter().filter(|line| !is_declared(line) && !DERIVED.contains(line)).collect();
        assert_eq!(undeclared, [""; 0]);
    }

    #[test]
    fn lanes_are_sorted_and_named_once() {
        assert!(LANE_PLACES.windows(2).all(|pair| pair[0].path < pair[1].path));
    }
}
