//! The words that cues are made of, by class. Data; it must not know what a cue is worth.

use std::sync::LazyLock;

/// Classes of one word, as bits.
pub(super) type Classes = u64;

/// A word for whoever runs on a model: `assistant`, `agents`, `llm`.
pub(super) const READER: Classes = 1;
/// `you`, `your`, `yourself`.
pub(super) const YOU: Classes = 1 << 1;
/// `must`, `should`, `required`.
pub(super) const MUST: Classes = 1 << 2;
/// A verb that sets rules aside: `ignore`, `forget`, `bypass`.
pub(super) const SET_ASIDE: Classes = 1 << 3;
/// What rules are called: `instructions`, `guidelines`, `task`.
pub(super) const RULES: Classes = 1 << 4;
/// What must not leave: `password`, `conversation`, `id_rsa`.
pub(super) const PRIVATE: Classes = 1 << 5;
/// A verb that takes something out: `send`, `upload`, `paste`.
pub(super) const SEND: Classes = 1 << 6;
/// A verb that shows something: `reveal`, `print`, `repeat`.
pub(super) const REVEAL: Classes = 1 << 7;
/// A verb with consequences: `delete`, `approve`, `install`, `pay`.
pub(super) const ACT: Classes = 1 << 8;
/// A verb about what is answered: `say`, `rate`, `conclude`.
pub(super) const SAY: Classes = 1 << 9;
/// `not`, `never`, `without`, `nobody`.
pub(super) const NOT: Classes = 1 << 10;
/// What is not to be done in secrecy: `tell`, `mention`, `ask`.
pub(super) const DISCLOSE: Classes = 1 << 11;
/// `silently`, `quietly`, `secretly`.
pub(super) const SECRETLY: Classes = 1 << 12;
/// `approved`, `authorised`, `consent`.
pub(super) const GRANTED: Classes = 1 << 13;
/// Who has a say: `admin`, `owner`, `user`, `developers`.
pub(super) const POWER: Classes = 1 << 14;
/// `pretend`, `imagine`, `persona`.
pub(super) const PLAY: Classes = 1 << 15;
/// `unrestricted`, `unfiltered`, `jailbroken`.
pub(super) const UNBOUND: Classes = 1 << 16;
/// A word that speaks about attacks: `injection`, `attacker`, `fixture`.
pub(super) const ABOUT: Classes = 1 << 17;
/// What may stand before an order: `please`, `now`, `then`, `and`.
pub(super) const LEAD: Classes = 1 << 18;
/// `dear`, `hey`, `attention`, `note`, `for`, `to`.
pub(super) const SALUTE: Classes = 1 << 19;
/// `when`, `if`, `before`, `whoever`.
pub(super) const WHEN: Classes = 1 << 20;
/// What a reader does: `read`, `summarise`, `answer`.
pub(super) const READ: Classes = 1 << 21;
/// What a reader makes: `answer`, `reply`, `summary`, `review`.
pub(super) const ANSWER: Classes = 1 << 22;
/// `only`, `instead`, `always`, `exactly`.
pub(super) const ONLY: Classes = 1 << 23;
/// A command of a shell or a switch that removes a check.
pub(super) const SHELL: Classes = 1 << 24;
/// Words of English written with ROT13.
pub(super) const ROTATED: Classes = 1 << 25;
/// Words of English written backwards.
pub(super) const REVERSED: Classes = 1 << 26;
/// `system`, `operator`, `admin` as the name of who speaks.
pub(super) const SYSTEM: Classes = 1 << 27;
/// The person behind the reader, spoken of: `user`, `owner`, `customer`.
pub(super) const PERSON: Classes = 1 << 28;
/// `previous`, `above`, `earlier`.
pub(super) const PRIOR: Classes = 1 << 29;
/// `it`, `this`, `that`, `anything`.
pub(super) const IT: Classes = 1 << 30;

/// A name that nothing but a model has.
pub(super) const MACHINE: Classes = 1 << 31;
/// A verb whose act cannot be taken back, or opens something.
pub(super) const RISKY: Classes = 1 << 32;
/// `changed`, `suspended`, `real`, `new`: what is said of rules that are to be others.
pub(super) const CHANGED: Classes = 1 << 33;
/// `obey`, `follow`, `treat`.
pub(super) const OBEY: Classes = 1 << 34;
/// `keep`, and what is kept: `secret`, `quiet`.
pub(super) const KEEP: Classes = 1 << 35;
/// `secret`, `quiet`, `silent`.
pub(super) const QUIET: Classes = 1 << 36;
/// `have`, `has`, `is`: binds when `to` follows.
pub(super) const HAVE: Classes = 1 << 37;
/// What is obeyed: `commands`, `whatever`, `what`.
pub(super) const COMMANDS: Classes = 1 << 38;

const WORDS: &[(Classes, &str)] = &[
    (
        READER,
        "ai ais llm llms assistant assistants agent agents model models bot bots chatbot chatbots copilot claude gpt chatgpt gemini ki robot robots asistente assistente crawler crawlers scraper scrapers summariser summarisers summarizer summarizers machine machines grader automated automation assistent",
    ),
    (MACHINE, "ai ais llm llms chatbot chatbots copilot claude gpt chatgpt gemini ki"),
    (YOU, "you your yourself you're you'll yours du deine tu tus vos"),
    (MUST, "must should shall required requires obliged instructed need needs soll supposed ought ordered"),
    (HAVE, "have has is are"),
    (
        RISKY,
        "give post upgrade rewrite change bill promise skip omit export push close publish accept claim choose pick double commit rank order click confirm archive upload send forward share put copy fill ignore end release wire kick unlock mute silence charge wire kick unlock mute silence charge delete deletes drop wipe erase disable grant approve merge transfer pay ban buy shutdown whitelist subscribe overwrite force install execute download revert purge replace remove cancel reset lösche elimina archive exclude",
    ),
    (CHANGED, "changed ends ended suspended lifted void replaced switched actual real true revoked reset"),
    (OBEY, "take obey obeys follow comply treat serve"),
    (KEEP, "keep keeps stays stay"),
    (QUIET, "secret quiet silent silence themselves hidden unnoticed yourself between"),
    (COMMANDS, "commands command orders order whatever what instructions those comments everything them it"),
    (
        SET_ASIDE,
        "ignore ignores ignoring disregard forget override overrides bypass discard neglect suspend suspended lift skip stop abandon void overrule replace replaces ignora olvida ignorez oubliez oublie ignoriere vergiss vergessen dimentica supersede supersedes drop",
    ),
    (
        RULES,
        "instruction instructions rule rules prompt prompts guideline guidelines guidance directive directives restriction restrictions limits policy policies guardrails guardrail constraints task ticket request question objective goal role orders duty criteria anweisungen regeln aufgabe instrucciones reglas consignes instructions regole istruzioni safety forecast checklist discussion guide consignas ask asked",
    ),
    (
        PRIVATE,
        "secret secrets password passwords passwort passwörter token tokens key keys credential credentials env ssh id_rsa id_ed25519 cookie cookies conversation history inbox wallet vault contacts memory contraseña contraseñas salaries calendar shadow passwd passe kubeconfig netrc npmrc environ environment attachments codes otp database statements card cards prompt private aws messages mails documents files contents gitconfig hosts config data location addresses tarball directory working emails names transcript stipendi correos",
    ),
    (
        SEND,
        "send sends forward forwards post posting upload uploads email mail transmit leak leaks paste pasting append attach copy copies share sharing publish export exports submit exfiltrate commit push dm envoyez envía inviami leite publica encode put",
    ),
    (
        REVEAL,
        "reveal reveals print prints repeat show output dump disclose quote list read extract display open ausgeben gib muestra recite type",
    ),
    (
        ACT,
        "delete deletes drop wipe erase disable run execute install download fetch approve merge grant close reset transfer pay buy order click press add replace remove rewrite set turn mark call invoke force revert ban invite change overwrite cancel archive subscribe navigate load visit confirm accept enable whitelist shutdown start create make clone issue release raise choose pick rank exclude lösche descarga elimina transfers transferred rotate edit use obey comply follow proceed connect re-enter fill export extract search reopen assign skip amend label mail read forward choose double put mute unlock unsubscribe charge upgrade wire silence give bill hand collect take store retry look include omit kick post share promise treat apply lower ship output write say answer scale point uninstall copy upload send fill use list tell",
    ),
    (
        SAY,
        "say says tell tells answer answers reply respond responds report state write conclude claim recommend rate summarise summarize describe promise promote praise output rank finish end begin include link",
    ),
    (NOT, "not never don't dont without nobody no cannot can't nothing neither kein ohne sin"),
    (
        DISCLOSE,
        "tell telling mention mentioning ask asking inform informing announce warn warning comment say explain notify notifying consult confirm confirmation confirming approval questions notice notices refusing list describe log told know avisar sagen erwähne verifying report note show discuss write display appear",
    ),
    (SECRETLY, "silently quietly secretly covertly invisibly hide hides"),
    (
        GRANTED,
        "approved authorised authorized authorise authorize pre-approved preapproved pre-authorised consented consent agreed agrees allowed permission permissions verified verification signed clearance aware accepted",
    ),
    (
        POWER,
        "admin admins administrator administrators owner operator developer developers creator maintainer maintainers moderator moderators user ceo board security lead company platform vendor management policy board caller boss nutzers",
    ),
    (PLAY, "pretend imagine roleplay role-play act assume simulate impersonate"),
    (
        UNBOUND,
        "unrestricted unfiltered uncensored jailbroken dan free filter policies restrictions limits unabridged",
    ),
    (
        ABOUT,
        "injection injections attacker attackers attack attacks payload payloads jailbreak jailbreaks fixture fixtures advisory cve regression flagged flag flags blocked detector detects probe probes red-team malicious phishing vulnerability fuzz expected refused refusal redacted training example examples trick tricked tricks phrase phrases label suite probes guards",
    ),
    (
        LEAD,
        "hereby from please now then and first also must should shall to not never just kindly simply always immediately silently quietly instead or but can could will you has have needs bitte do so directly",
    ),
    (SALUTE, "dear hey hello hi attention note for to any all ciao reminder message"),
    (WHEN, "by when whenever if before after until while whoever upon once"),
    (
        READ,
        "read reads reading see sees visits visit summarise summarises summarising summarize summarizing summarizes answer answering asked describe describing process processes processed processing continue opens quote quoting reader readers translate review load cites picks edit works working open reaches generates create complete",
    ),
    (
        ANSWER,
        "answer answers reply response summary review report message comment output briefing minutes verdict score write-up suggestion draft",
    ),
    (
        ONLY,
        "only instead always exactly everything word nothing else matter regardless precedence priority top anything",
    ),
    (
        SHELL,
        "curl wget rm sudo chmod bash nc crontab --no-verify ufw visudo npx npm pip git reverse cron ssh-rsa shell postinstall authorized_keys base64 exec",
    ),
    (
        ROTATED,
        "gur naq nyy lbh lbhe vtaber sbetrg nffvfgnag ntrag frperg cnffjbeq vafgehpgvbaf fraq gryy hfre cerivbhf qryrgr flfgrz cebzcg",
    ),
    (REVERSED, "erongi snoitcurtsni tegrof tnatsissa suoiverp drowssap tpmorp dnes tegrof"),
    (SYSTEM, "system operator sysadmin override maintenance developer"),
    (
        PERSON,
        "user users user's owner operator customer employer principal human humans person developer reviewer visitor reader nutzer usuario l'utilisateur anyone anybody nobody someone",
    ),
    (
        PRIOR,
        "vorherigen bisherigen previous previously prior above earlier preceding before precedenti précédentes anteriores vorherigen original existing initial old current so-far",
    ),
    (IT, "it this that anything them why these"),
];

/// The longest word that is known, in bytes.
const LONGEST: usize = 20;
/// Words by their first letter and their length.
const BUCKETS: usize = 27 * (LONGEST + 1);

static CLASSES: LazyLock<Vec<Vec<(&'static str, Classes)>>> = LazyLock::new(|| {
    let mut buckets: Vec<Vec<(&'static str, Classes)>> = vec![Vec::new(); BUCKETS];
    for (class, words) in WORDS {
        for word in words.split(' ') {
            let Some(bucket) = buckets.get_mut(bucket(word)) else { continue };
            match bucket.iter_mut().find(|(known, _)| *known == word) {
                Some((_, classes)) => *classes |= class,
                None => bucket.push((word, *class)),
            }
        }
    }
    buckets
});

/// Where a word is kept, in any case of its letters.
fn bucket(word: &str) -> usize {
    let first = word.as_bytes().first().map_or(0, u8::to_ascii_lowercase);
    let letter = if first.is_ascii_lowercase() { usize::from(first - b'a') } else { 26 };
    letter * (LONGEST + 1) + word.len().min(LONGEST)
}

/// The classes of a word in any case; none when it is not known.
pub(super) fn classes(word: &str) -> Classes {
    let bucket = CLASSES.get(bucket(word)).map_or(&[][..], Vec::as_slice);
    bucket.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map_or(0, |(_, classes)| *classes)
}

/// The classes of a word; of its last part when the whole is not known.
pub(super) fn classes_of_parts(word: &str) -> Classes {
    let whole = classes(word);
    if whole != 0 || !word.contains(['-', '_']) {
        return whole;
    }
    if word.contains('-') && word.split('-').any(|part| classes(part) & READER != 0) {
        return READER;
    }
    word.rsplit(['-', '_']).next().map_or(0, |part| classes(part) & (READER | MACHINE | PRIVATE))
}
