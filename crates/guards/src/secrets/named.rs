//! Secrets that look like anything, and are known by the name of what they are assigned to. Data only.

mod services;

use super::set::{
    ALNUM, ALNUM_DASH, ANY_BASE64, CAPITAL_A, DIGIT, HEX, LOWER_HEX, PADDING, PERCENT, TO_H, WORD_DASH,
    WORD_DASH_EQUALS, WORD_DASH_EQUALS_DOT,
};
use super::shape::{Part, folded, text};

/// One kind of secret that needs a name before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named {
    pub(super) label: &'static str,
    /// What the name contains, in any case.
    pub(super) words: &'static [&'static str],
    pub(super) parts: &'static [Part],
    /// Below this it is a placeholder, in thousandths of a bit a character.
    pub(super) entropy_millis: u32,
}

const fn named(label: &'static str, words: &'static [&'static str], parts: &'static [Part]) -> Named {
    Named { label, words, parts, entropy_millis: 0 }
}

impl Named {
    const fn entropy(mut self, millis: u32) -> Self {
        self.entropy_millis = millis;
        self
    }
}

const UUID: &[Part] = &[
    HEX.exactly(8),
    text("-"),
    HEX.exactly(4),
    text("-"),
    HEX.exactly(4),
    text("-"),
    HEX.exactly(4),
    text("-"),
    HEX.exactly(12),
];
const JFROG: &[&str] = &["jfrog", "artifactory", "bintray", "xray"];
const NEW_RELIC: &[&str] = &["new-relic", "newrelic", "new_relic"];
const LINKEDIN: &[&str] = &["linkedin", "linked_in", "linked-in"];
const MESSAGEBIRD: &[&str] = &["messagebird", "message_bird", "message-bird"];
const SNYK: &[&str] = &[
    "snyk",
    "snyk_key",
    "snyk_token",
    "snyk_api_key",
    "snyk_api_token",
    "snyk_oauth_key",
    "snyk_oauth_token",
    "snykkey",
    "snyktoken",
    "snyk-token",
    "snyk.token",
    "snyk-key",
    "snyk.key",
    "snyk-api-token",
    "snykapikey",
    "snykapitoken",
];
const SONAR: &[&str] = &[
    "sonarlogin",
    "sonar_login",
    "sonar-login",
    "sonar.login",
    "sonartoken",
    "sonar_token",
    "sonar-token",
    "sonar.token",
];

/// Every kind.
pub(super) fn kinds() -> impl Iterator<Item = &'static Named> {
    [KINDS, services::KINDS].into_iter().flatten()
}

const KINDS: &[Named] = &[
    named("adafruit-api-key", &["adafruit"], &[WORD_DASH.exactly(32)]),
    named("adobe-client-id", &["adobe"], &[HEX.exactly(32)]).entropy(2000),
    named("airtable-api-key", &["airtable"], &[ALNUM.exactly(17)]),
    named("algolia-api-key", &["algolia"], &[ALNUM.exactly(32)]),
    named("alibaba-secret-key", &["alibaba"], &[ALNUM.exactly(30)]).entropy(2000),
    named("asana-client-id", &["asana"], &[DIGIT.exactly(16)]),
    named("asana-client-secret", &["asana"], &[ALNUM.exactly(32)]),
    named("atlassian-api-token", &["atlassian", "confluence", "jira"], &[ALNUM.exactly(20), HEX.exactly(4)])
        .entropy(3500),
    named("beamer-api-token", &["beamer"], &[folded("b_"), WORD_DASH_EQUALS.exactly(44)]),
    named("bitbucket-client-id", &["bitbucket"], &[ALNUM.exactly(32)]),
    named("bitbucket-client-secret", &["bitbucket"], &[WORD_DASH_EQUALS.exactly(64)]),
    named("bittrex-access-key", &["bittrex"], &[ALNUM.exactly(32)]),
    named("cisco-meraki-api-key", &["meraki"], &[LOWER_HEX.exactly(40)]).entropy(3000),
    named("cloudflare-api-key", &["cloudflare"], &[WORD_DASH.exactly(40)]).entropy(2000),
    named("cloudflare-global-api-key", &["cloudflare"], &[HEX.exactly(37)]).entropy(2000),
    named("codecov-access-token", &["codecov"], &[ALNUM.exactly(32)]),
    named("cohere-api-token", &["cohere", "co_api_key"], &[ALNUM.exactly(40)]).entropy(4000),
    named("coinbase-access-token", &["coinbase"], &[WORD_DASH.exactly(64)]),
    named("confluent-access-token", &["confluent"], &[ALNUM.exactly(16)]),
    named("confluent-secret-key", &["confluent"], &[ALNUM.exactly(64)]),
    named("contentful-delivery-api-token", &["contentful"], &[WORD_DASH_EQUALS.exactly(43)]),
    named("datadog-access-token", &["datadog"], &[ALNUM.exactly(40)]),
    named(
        "defined-networking-api-token",
        &["dnkey"],
        &[folded("dnkey-"), WORD_DASH_EQUALS.exactly(26), text("-"), WORD_DASH_EQUALS.exactly(52)],
    ),
    named("discord-api-token", &["discord"], &[HEX.exactly(64)]),
    named("discord-client-id", &["discord"], &[DIGIT.exactly(18)]).entropy(2000),
    named("discord-client-secret", &["discord"], &[WORD_DASH_EQUALS.exactly(32)]).entropy(2000),
    named("droneci-access-token", &["droneci"], &[ALNUM.exactly(32)]),
    named("dropbox-api-token", &["dropbox"], &[ALNUM.exactly(15)]),
    named(
        "dropbox-long-lived-api-token",
        &["dropbox"],
        &[ALNUM.exactly(11), folded("AAAAAAAAAA"), WORD_DASH_EQUALS.exactly(43)],
    ),
    named("dropbox-short-lived-api-token", &["dropbox"], &[folded("sl."), WORD_DASH_EQUALS.exactly(135)]),
    named("etsy-access-token", &["etsy"], &[ALNUM.exactly(24)]).entropy(3000),
    named("facebook-secret", &["facebook"], &[HEX.exactly(32)]).entropy(3000),
    named("fastly-api-token", &["fastly"], &[WORD_DASH_EQUALS.exactly(32)]),
    named("finicity-api-token", &["finicity"], &[HEX.exactly(32)]),
    named("finicity-client-secret", &["finicity"], &[ALNUM.exactly(20)]),
    named("finnhub-access-token", &["finnhub"], &[ALNUM.exactly(20)]),
    named("flickr-access-token", &["flickr"], &[ALNUM.exactly(32)]),
    named("freshbooks-access-token", &["freshbooks"], &[ALNUM.exactly(64)]),
    named("gitter-access-token", &["gitter"], &[WORD_DASH.exactly(40)]),
    named("gocardless-api-token", &["gocardless"], &[folded("live_"), WORD_DASH_EQUALS.exactly(40)]),
    named("heroku-api-key", &["heroku"], UUID),
    named("hubspot-api-key", &["hubspot"], UUID),
    named("intercom-api-key", &["intercom"], &[WORD_DASH_EQUALS.exactly(60)]),
    named("jfrog-api-key", JFROG, &[ALNUM.exactly(73)]),
    named("jfrog-identity-token", JFROG, &[ALNUM.exactly(64)]),
    named("kraken-access-token", &["kraken"], &[ANY_BASE64.between(80, 90)]),
    named("kucoin-access-token", &["kucoin"], &[HEX.exactly(24)]),
    named("kucoin-secret-key", &["kucoin"], UUID),
    named("launchdarkly-access-token", &["launchdarkly"], &[WORD_DASH_EQUALS.exactly(40)]),
    named("linear-client-secret", &["linear"], &[HEX.exactly(32)]).entropy(2000),
    named("linkedin-client-id", LINKEDIN, &[ALNUM.exactly(14)]).entropy(2000),
    named("linkedin-client-secret", LINKEDIN, &[ALNUM.exactly(16)]).entropy(2000),
    named(
        "lob-api-key",
        &["lob"],
        &[Part::OneOf(&[&[folded("live_")], &[folded("test_")]]), HEX.exactly(35)],
    ),
    named(
        "lob-pub-api-key",
        &["lob"],
        &[Part::OneOf(&[&[folded("live_pub_")], &[folded("test_pub_")]]), HEX.exactly(31)],
    ),
    named("looker-client-id", &["looker"], &[ALNUM.exactly(20)]),
    named("looker-client-secret", &["looker"], &[ALNUM.exactly(24)]),
    named(
        "mailchimp-api-key",
        &["mailchimp", "mailchimpsdk.initialize"],
        &[HEX.exactly(32), folded("-us"), DIGIT.exactly(2)],
    ),
    named("mailgun-private-api-token", &["mailgun"], &[folded("key-"), HEX.exactly(32)]),
    named("mailgun-pub-key", &["mailgun"], &[folded("pubkey-"), HEX.exactly(32)]),
    named(
        "mailgun-signing-key",
        &["mailgun"],
        &[TO_H.exactly(32), text("-"), TO_H.exactly(8), text("-"), TO_H.exactly(8)],
    ),
    named("mapbox-api-token", &["mapbox"], &[folded("pk."), ALNUM.exactly(60), text("."), ALNUM.exactly(22)]),
    named("mattermost-access-token", &["mattermost"], &[ALNUM.exactly(26)]),
    named("messagebird-api-token", MESSAGEBIRD, &[ALNUM.exactly(25)]),
    named("messagebird-client-id", MESSAGEBIRD, UUID),
    named("netlify-access-token", &["netlify"], &[WORD_DASH_EQUALS.between(40, 46)]),
    named("new-relic-browser-api-token", NEW_RELIC, &[folded("NRJS-"), HEX.exactly(19)]),
    named("new-relic-insert-key", NEW_RELIC, &[folded("NRII-"), ALNUM_DASH.exactly(32)]),
    named("new-relic-user-api-id", NEW_RELIC, &[ALNUM.exactly(64)]),
    named("new-relic-user-api-key", NEW_RELIC, &[folded("NRAK-"), ALNUM.exactly(27)]),
    named(
        "nytimes-access-token",
        &["nytimes", "newyorktimes", "new-york-times,"],
        &[WORD_DASH_EQUALS.exactly(32)],
    ),
    named("okta-access-token", &["okta"], &[text("00"), WORD_DASH_EQUALS.exactly(40)]).entropy(4000),
    named(
        "plaid-api-token",
        &["plaid"],
        &[
            folded("access-"),
            Part::OneOf(&[&[folded("sandbox-")], &[folded("development-")], &[folded("production-")]]),
            Part::OneOf(&[UUID]),
        ],
    ),
    named("plaid-client-id", &["plaid"], &[ALNUM.exactly(24)]).entropy(3500),
    named("plaid-secret-key", &["plaid"], &[ALNUM.exactly(30)]).entropy(3500),
    named("privateai-api-token", &["privateai", "private_ai", "private-ai"], &[ALNUM.exactly(32)])
        .entropy(3000),
    named("rapidapi-access-token", &["rapidapi"], &[WORD_DASH.exactly(50)]),
    named("sendbird-access-id", &["sendbird"], UUID),
    named("sendbird-access-token", &["sendbird"], &[HEX.exactly(40)]),
    named("sentry-access-token", &["sentry"], &[HEX.exactly(64)]).entropy(3000),
    named(
        "sidekiq-secret",
        &["bundle_enterprise__contribsys__com", "bundle_gems__contribsys__com"],
        &[HEX.exactly(8), text(":"), HEX.exactly(8)],
    ),
    named("snyk-api-token", SNYK, UUID),
    named(
        "sonar-api-token",
        SONAR,
        &[
            Part::OneOf(&[&[folded("squ_")], &[folded("sqp_")], &[folded("sqa_")], &[]]),
            WORD_DASH_EQUALS.exactly(40),
        ],
    ),
    named("squarespace-access-token", &["squarespace"], UUID),
    named("sumologic-access-id", &["sumo"], &[text("su"), ALNUM.exactly(12)]).entropy(3000),
    named("sumologic-access-token", &["sumo"], &[ALNUM.exactly(64)]).entropy(3000),
    named("telegram-bot-api-token", &["telegr"], &[DIGIT.between(5, 16), text(":A"), WORD_DASH.exactly(34)]),
    named("travisci-access-token", &["travis"], &[ALNUM.exactly(22)]),
    named("twitch-api-token", &["twitch"], &[ALNUM.exactly(30)]),
    named("twitter-access-secret", &["twitter"], &[ALNUM.exactly(45)]),
    named("twitter-access-token", &["twitter"], &[DIGIT.between(15, 25), text("-"), ALNUM.between(20, 40)]),
    named("twitter-api-key", &["twitter"], &[ALNUM.exactly(25)]),
    named("twitter-api-secret", &["twitter"], &[ALNUM.exactly(50)]),
    named("twitter-bearer-token", &["twitter"], &[CAPITAL_A.exactly(22), PERCENT.between(80, 100)]),
    named("typeform-api-token", &["typeform"], &[folded("tfp_"), WORD_DASH_EQUALS_DOT.exactly(59)]),
    named(
        "yandex-access-token",
        &["yandex"],
        &[
            folded("t1."),
            WORD_DASH.at_least(1),
            PADDING.between(0, 2),
            text("."),
            WORD_DASH.exactly(86),
            PADDING.between(0, 2),
        ],
    ),
    named("yandex-api-key", &["yandex"], &[folded("AQVN"), WORD_DASH.between(35, 38)]),
    named("yandex-aws-access-token", &["yandex"], &[folded("YC"), WORD_DASH.exactly(38)]),
    named("zendesk-secret-key", &["zendesk"], &[ALNUM.exactly(40)]),
];
