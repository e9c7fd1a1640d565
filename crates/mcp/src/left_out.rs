//! The actions that are no tools, and why. A test holds every action to being either.

/// Actions that a client of the protocol does not get, each with the reason.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("approval.approve", PERSON),
    ("approval.deny", PERSON),
    ("approval.revoke", PERSON),
    ("audit.verify", UPKEEP),
    ("conformance.run", "it checks premath against vectors, not a repository"),
    ("conversation.delete", CONVERSATION),
    ("conversation.list", CONVERSATION),
    ("conversation.log", CONVERSATION),
    ("conversation.rename", CONVERSATION),
    ("conversation.show", CONVERSATION),
    ("conversation.start", CONVERSATION),
    ("desk.add", DESK),
    ("desk.delete", DESK),
    ("desk.rename", DESK),
    ("desk.restore", DESK),
    ("desk.write", DESK),
    ("eval.guardrails", MEASURE),
    ("eval.tools", MEASURE),
    ("guard.decide", "it is asked by the hook of an agent, in a process of its own"),
    ("guard.install", HOOK),
    ("guard.uninstall", HOOK),
    ("harness.boot", AGENT),
    ("harness.step", AGENT),
    ("harness.stop", AGENT),
    ("issue.compact", UPKEEP),
    ("issue.import", UPKEEP),
    ("model.ask", "a client has a model of its own, and this one costs the owner of the repository money"),
    ("policy.draft", MEASURE),
    ("policy.promote", PERSON),
    ("policy.rollback", PERSON),
    ("proposal.approve", PERSON),
    ("proposal.reject", PERSON),
    ("proposal.resume", PERSON),
    ("redteam.run", MEASURE),
    ("run.forget", UPKEEP),
    ("run.resume", AGENT),
    ("run.start", AGENT),
    ("sandbox.run", "it runs any command at all; a client has a shell of its own, with walls of its own"),
    ("tool.approve", PERSON),
    ("tool.check", SERVERS),
    ("tool.forget", PERSON),
    ("tool.list", SERVERS),
    ("tool.show", SERVERS),
    ("workspace.doctor", UPKEEP),
    ("workspace.gc", UPKEEP),
    ("workspace.init", UPKEEP),
    ("workspace.trust", PERSON),
];

const PERSON: &str = "a person decides this, and a client is none";
const SERVERS: &str = "a client has servers of its own, and starts none of the owner's";
const UPKEEP: &str = "upkeep of the stores is done by the person whose repository it is";
const HOOK: &str = "whoever the hook watches must not be able to put it in or take it out";
const DESK: &str = "the desk is changed by its owner and by runs that its owner started";
const CONVERSATION: &str = "a conversation belongs to the person who has it";
const MEASURE: &str = "measuring policies is done by whoever is going to promote them";
const AGENT: &str = "it starts an agent or a command under authority of its own; a client works under the \
     instruction that it names, as the prompts boot, step and stop say";
