//! The routine of a working session, told to a model with the names of the tools: begin, take a step, stop.
//!
//! The texts must not promise what the tools refuse; a test holds every tool that they name against the catalogue.

use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

/// One prompt.
struct Routine {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    /// Whether it is about one issue.
    takes_issue: bool,
    text: &'static str,
}

const ROUTINES: [Routine; 3] = [
    Routine {
        name: "boot",
        title: "Begin a working session",
        summary: "Find out where the last session stopped, and what to do first.",
        takes_issue: false,
        text: "Begin a working session in this repository. Change nothing yet.\n\
               1. `harness_session_bootstrap` says whether to resume, which issue, and the next step that was noted. An error of class \
               environment says that no session was here before: then there is nothing to resume.\n\
               2. `dep_diagnostics` must be accepted. If it is not, say which cycle or unknown dependency it names, and stop.\n\
               3. `observe_needs_attention` says whether a person should look at something first. If so, say it.\n\
               4. Take the issue that is to be resumed; else the first of `issue_ready` with limit 5. Read it with `issue_show`.\n\
               5. Say in three sentences what you will do, how it will be verified, and under which instruction.",
    },
    Routine {
        name: "step",
        title: "Take one step",
        summary: "Claim one issue, do the work, verify it, and close it under an instruction.",
        takes_issue: true,
        text: "Take one step, on one issue.\n\
               1. Every change needs an accepted instruction. Write an envelope as a file in the repository whose scope \
               names the issue, look at it with `instruction_check`, and run it with `instruction_run`: the answer names \
               the instruction. `instruction_witness` says whether it still permits anything. One that you run covers \
               claims, renewals and discoveries, unless the policy of the repository says more (`grantedCapabilities` of \
               `instruction_check`); for the other changes below, ask the owner to run it with `premath instruction-run`.\n\
               2. `issue_claim` with that `instruction`, or `issue_claim_next` when no issue is named. Keep the fence it \
               answers with; name it in every later change of the issue.\n\
               3. Do the work. `issue_lease_renew` before half of the lease has passed.\n\
               4. Verify: run what the issue names as its verification, and `required_run` when the changes are committed.\n\
               5. What you find on the way is an issue of its own: `issue_discover`.\n\
               6. When it is verified, `issue_update` with status closed. When it is not, `issue_update` with what is \
               missing in appendNotes, and `issue_lease_release`. Where your instruction does not cover that, say so and let \
               the lease run out.\n\
               7. `harness_trajectory_append` with what came of it.\n\
               A result with isError is a refusal: read its class and hint, and do not try the same call again unchanged.",
    },
    Routine {
        name: "stop",
        title: "Stop a working session",
        summary: "Hand over: what was done, what is next, and nothing held that nobody works on.",
        takes_issue: false,
        text: "Stop this working session.\n\
               1. `issue_lease_projection` shows what you hold. Release with `issue_lease_release` what you do not go on \
               with, where your instruction covers that, else let the lease run out; renew with `issue_lease_renew` what you do.\n\
               2. `harness_session_write` with state stopped, a summary, the next step, and the issue: it needs your \
               instruction, as every record does.\n\
               3. `harness_trajectory_append` for the step that you end with, if it has no row yet.\n\
               4. `harness_session_bootstrap` must now say what you would want to read. Say what the next session begins with.",
    },
];

/// Every prompt.
pub(crate) fn all() -> Vec<Prompt> {
    let prompt = |routine: &Routine| {
        let issue =
            PromptArgument::new("issue").with_description("The issue to work on").with_required(false);
        let arguments = routine.takes_issue.then(|| vec![issue]);
        Prompt::new(routine.name, Some(routine.summary), arguments).with_title(routine.title)
    };
    ROUTINES.iter().map(prompt).collect()
}

/// The prompt of that name.
pub(crate) fn told(name: &str, arguments: Option<&JsonObject>) -> Option<GetPromptResult> {
    let routine = ROUTINES.iter().find(|routine| routine.name == name)?;
    let issue = arguments.and_then(|arguments| arguments.get("issue")).and_then(serde_json::Value::as_str);
    let issue = issue.map(str::trim).filter(|issue| routine.takes_issue && !issue.is_empty());
    let text = match issue {
        Some(issue) => format!("{}\nThe issue: {issue}", routine.text),
        None => routine.text.to_owned(),
    };
    let message = PromptMessage::new_text(Role::User, text);
    Some(GetPromptResult::new(vec![message]).with_description(routine.summary))
}

#[cfg(test)]
mod tests;
