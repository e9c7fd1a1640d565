//! A git repository with issues, in which scripted workers work.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::crash::{Answer, Workplace, text};

/// How long one command may take here.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a worker does: writes a file of its own, which needs the files of what the issue depends on. Some issues edit the
/// same line, and resolve what conflicts when they are told to.
const WORK: &str = r#"set -eu
id=$PREMATH_ISSUE_ID
for needed in $(cat "needs/$id" 2>/dev/null); do [ -e "parts/$needed" ] || { echo "$needed is missing"; exit 1; }; done
mkdir -p parts
echo ok > "parts/$id"
if [ -n "${PREMATH_CONFLICT_PATHS:-}" ]; then
    sed -i -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d' shared.txt
elif [ -e "shared/$id" ] && ! grep -qx "$id" shared.txt; then
    sed -i "1a $id" shared.txt
fi
"#;

/// What says whether the work is done.
const CHECK: &str = r#"set -eu
if grep -q '^<<<<<<<' shared.txt; then exit 1; fi
for part in parts/*; do
    [ -e "$part" ] || continue
    grep -qx ok "$part"
    for needed in $(cat "needs/${part#parts/}" 2>/dev/null); do [ -e "parts/$needed" ]; done
done
"#;

/// A repository; its worktrees go with it.
pub(crate) struct Repository {
    pub(crate) place: Workplace,
}

impl Drop for Repository {
    fn drop(&mut self) {
        // Nothing may have been made there.
        drop(fs::remove_dir_all(self.trees()));
    }
}

/// An issue and what it needs.
pub(crate) struct Planned {
    pub(crate) needs: Vec<usize>,
    pub(crate) is_shared: bool,
}

impl Repository {
    /// A repository with these issues, numbered from 1.
    pub(crate) fn with(issues: &[Planned]) -> Self {
        let place = Workplace::initialised();
        let repository = Self { place };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository.git(&["config", "user.name", "Test"]);
        repository.git(&["config", "user.email", "test@example.org"]);
        repository.write("work.sh", WORK);
        repository.write("check.sh", CHECK);
        repository.write("shared.txt", "first\nlast\n");
        let mut rows = String::new();
        for (issue, number) in issues.iter().zip(1..) {
            let needs: Vec<String> = issue.needs.iter().map(|need| format!("bd-{need}")).collect();
            repository.write(&format!("needs/bd-{number}"), &needs.join(" "));
            if issue.is_shared {
                repository.write(&format!("shared/bd-{number}"), "");
            }
            let blocks = |need: &String| {
                format!(r#"{{"issue_id":"bd-{number}","depends_on_id":"{need}","type":"blocks"}}"#)
            };
            let dependencies: Vec<String> = needs.iter().map(blocks).collect();
            rows.push_str(&format!(
                "{{\"id\":\"bd-{number}\",\"title\":\"Part {number}\",\"status\":\"open\",\"issue_type\":\"task\",\"dependencies\":[{}]}}\n",
                dependencies.join(",")
            ));
        }
        repository.write("rows.jsonl", &rows);
        repository.place.accepted(&["issue", "import", "rows.jsonl", "--json"]);
        fs::remove_file(repository.path().join("rows.jsonl")).unwrap();
        repository.git(&["add", "--all"]);
        repository.git(&["commit", "--quiet", "--message=base"]);
        repository
    }

    /// So many issues without dependencies.
    pub(crate) fn independent(count: usize) -> Self {
        let planned: Vec<Planned> =
            (0..count).map(|_| Planned { needs: Vec::new(), is_shared: false }).collect();
        Self::with(&planned)
    }

    pub(crate) fn path(&self) -> &Path {
        self.place.path()
    }

    /// Where worktrees of workers are.
    pub(crate) fn trees(&self) -> PathBuf {
        self.path().with_extension("worktrees")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        if name.ends_with(".sh") {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// What git prints; it must end well.
    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git_at(self.path(), arguments)
    }

    /// A worker that works until nothing is ready.
    pub(crate) fn worker(&self, more: &[&str]) -> (Answer, Vec<Value>) {
        let base = [
            "worker",
            "--worker-id",
            "w",
            "--json",
            "--work-cmd",
            "sh work.sh",
            "--verify-cmd",
            "sh check.sh",
        ];
        self.ran(&[base.as_slice(), more].concat())
    }

    /// A coordinator with workers of its own.
    pub(crate) fn coordinator(&self, more: &[&str]) -> (Answer, Vec<Value>) {
        let base = ["coordinator", "--json", "--work-cmd", "sh work.sh", "--verify-cmd", "sh check.sh"];
        self.ran(&[base.as_slice(), more].concat())
    }

    pub(crate) fn ran(&self, arguments: &[&str]) -> (Answer, Vec<Value>) {
        let answer = self.place.run_within(PATIENCE, arguments);
        let rows = answer.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        (answer, rows)
    }

    #[track_caller]
    pub(crate) fn status(&self, id: &str) -> String {
        text(&self.place.accepted(&["issue", "show", id, "--json"]), "/issue/status").to_owned()
    }

    /// The issues whose commits a branch has, the oldest first.
    pub(crate) fn landed(&self, branch: &str) -> Vec<String> {
        let log = self.git(&[
            "log",
            "--reverse",
            "--format=%(trailers:key=Premath-Issue,valueonly,separator=%x2C)",
            branch,
        ]);
        log.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }
}

#[track_caller]
pub(crate) fn git_at(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(arguments).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The details of every event of a name.
pub(crate) fn events<'r>(rows: &'r [Value], name: &str) -> Vec<&'r Value> {
    rows.iter().filter(|row| row["event"] == name).collect()
}
