//! The rules that can speak about one tool, ready to decide. It must not hold one that cannot: a decision costs what these
//! cost.

use cedar_policy::{
    Authorizer, Entities, Entity, EntityUid, PolicyId, PolicySet, Request, Response, RestrictedExpression,
};
use premath_tusk::policy::{CallFacts, RunFacts};

use crate::batch::Batch;
use crate::context::context;
use crate::mentions::Mentions;
use crate::needles::Needles;
use crate::rule::Rule;
use crate::words::{ToolWords, Types, Words};

/// What rules say about a call, before it is put together.
#[derive(Debug, Default)]
pub(crate) struct Spoken {
    /// The ids of the rules that matched, sorted.
    pub(crate) matched: Vec<String>,
    /// The rules that failed, and how, sorted.
    pub(crate) failed: Vec<(String, String)>,
}

/// The rules about one tool.
#[derive(Debug)]
pub(crate) struct ToolPack {
    words: ToolWords,
    types: Types,
    action: EntityUid,
    // Apart, because the language tells only of those that decided: a `permit` under a `forbid` would not be seen.
    permits: PolicySet,
    forbids: Vec<Batch>,
    needles: Needles,
    mentions: Mentions,
    /// The action and its groups.
    entities: Entities,
}

impl ToolPack {
    /// The rules among these that can speak about a tool.
    ///
    /// # Errors
    /// What the language says against them.
    pub(crate) fn new(tool: &ToolWords, words: &Words, rules: &[Rule]) -> Result<Self, String> {
        let mut mentions = Mentions::default();
        let (mut permits, mut forbids) = (PolicySet::new(), Vec::new());
        for rule in rules.iter().filter(|rule| rule.can_speak_of(tool)) {
            mentions.merge(&rule.mentions);
            match rule.policy.effect() {
                cedar_policy::Effect::Permit => {
                    permits.add(rule.policy.clone()).map_err(|error| error.to_string())?;
                }
                cedar_policy::Effect::Forbid => forbids.push(rule),
            }
        }
        let (needles, others) = Needles::of(&forbids, tool)?;
        let forbids = Batch::of(&others)?;
        let types = words.types.clone();
        let action = types.action(&tool.name);
        let groups = tool.groups.iter().map(|group| types.action(group));
        let entities =
            Entities::from_entities([Entity::new_no_attrs(action.clone(), groups.collect())], None)
                .map_err(|error| error.to_string())?;
        Ok(Self { words: tool.clone(), types, action, permits, forbids, needles, mentions, entities })
    }

    /// Asks every rule.
    ///
    /// # Errors
    /// Why none could be asked.
    pub(crate) fn ask(&self, call: &CallFacts<'_>) -> Result<Spoken, String> {
        let context = context(&self.words, &self.mentions, call)?;
        let user = self.types.user(&call.run.principal.id);
        let run = self.types.run(&call.run.run_id);
        let entities = self.entities_of(call.run, &user, &run)?;
        let request =
            Request::new(user, self.action.clone(), run, context, None).map_err(|error| error.to_string())?;
        let authorizer = Authorizer::new();
        let mut spoken = Spoken::default();
        spoken.add(&authorizer.is_authorized(&request, &self.permits, &entities));
        for batch in &self.forbids {
            batch.ask(&authorizer, &request, &entities, &mut spoken);
        }
        self.needles.ask(call, &authorizer, &request, &entities, &mut spoken);
        spoken.matched.sort_unstable();
        spoken.failed.sort_unstable();
        Ok(spoken)
    }

    fn entities_of(&self, run: &RunFacts, user: &EntityUid, run_uid: &EntityUid) -> Result<Entities, String> {
        let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
        let tier = ("tier".to_owned(), text(&run.risk_tier));
        let issue = run.issue_id.as_deref().map(|issue| ("issue".to_owned(), text(issue)));
        let attributes = [tier].into_iter().chain(issue).collect();
        let role = self.types.role(&run.principal.role);
        let user = Entity::new_no_attrs(user.clone(), [role].into_iter().collect());
        let run = Entity::new(run_uid.clone(), attributes, [].into_iter().collect())
            .map_err(|error| error.to_string())?;
        self.entities.clone().add_entities([user, run], None).map_err(|error| error.to_string())
    }
}

impl Spoken {
    pub(crate) fn add(&mut self, response: &Response) {
        let said = response.diagnostics();
        let id = |id: &PolicyId| <PolicyId as AsRef<str>>::as_ref(id).to_owned();
        self.matched.extend(said.reason().map(id));
        self.failed.extend(said.errors().map(|error| match error {
            cedar_policy::AuthorizationError::PolicyEvaluationError(error) => {
                (id(error.policy_id()), error.inner().to_string())
            }
        }));
    }
}
