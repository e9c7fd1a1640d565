//! Decisions, and what a sandbox takes away.

use super::*;

fn risk(class: RiskClass, decision: Decision, reach: Reach) -> Risk {
    Risk { class, decision, reach, part: "x".to_owned(), reason: "does it".to_owned() }
}

#[test]
fn the_severest_risk_comes_first() {
    let risks = vec![
        risk(RiskClass::History, Decision::Ask, Reach::Workspace),
        risk(RiskClass::Destructive, Decision::Deny, Reach::Machine),
        risk(RiskClass::OwnFiles, Decision::Deny, Reach::Workspace),
    ];
    let judgement = Judgement::new(risks, AgentSandbox::None);
    let classes: Vec<_> = judgement.risks.iter().map(|risk| risk.class).collect();
    assert_eq!(classes, [RiskClass::OwnFiles, RiskClass::Destructive, RiskClass::History]);
    assert_eq!(judgement.decision(), Decision::Deny);
    assert_eq!(Judgement::default().decision(), Decision::Allow);
}

#[test]
fn a_sandbox_stops_what_it_is_for_and_nothing_else() {
    let all = |sandbox: AgentSandbox| {
        let mut left = Vec::new();
        for class in RiskClass::ALL {
            for reach in [Reach::Workspace, Reach::Machine, Reach::Network] {
                if !Judgement::new(vec![risk(class, Decision::Deny, reach)], sandbox).risks.is_empty() {
                    left.push((class.token(), reach));
                }
            }
        }
        left
    };
    assert_eq!(all(AgentSandbox::None).len(), 30);
    let files = all(AgentSandbox::Files);
    assert!(
        !files.contains(&("destructive", Reach::Machine)) && files.contains(&("destructive", Reach::Network))
    );
    assert!(
        files.contains(&("exfiltration", Reach::Network)) && files.contains(&("secrets", Reach::Machine))
    );
    let full = all(AgentSandbox::Full);
    assert!(!full.contains(&("exfiltration", Reach::Network)));
    for class in RiskClass::ALL {
        assert!(full.contains(&(class.token(), Reach::Workspace)), "{class:?}");
    }
    assert!(full.contains(&("secrets", Reach::Machine)));
    for class in ["self", "obscured", "unreadable"] {
        for reach in [Reach::Workspace, Reach::Machine, Reach::Network] {
            assert!(full.contains(&(class, reach)), "{class} {reach:?}");
        }
    }
}

#[test]
fn names_of_classes_are_stable() {
    let names: Vec<_> = RiskClass::ALL.map(RiskClass::policy_name).to_vec();
    let tokens: Vec<_> = RiskClass::ALL.map(|class| format!("command.{}", class.token())).to_vec();
    assert_eq!(names, tokens);
}
