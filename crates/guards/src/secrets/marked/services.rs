//! Keys of messaging, mail, payments and other services. Data only.

use super::super::set::{
    ALNUM, ALNUM_DASH, BASE64, DIGIT, HEX, LOWER, LOWER_HEX, PERCENT_BASE64, UPPER, WORD_DASH,
    WORD_DASH_EQUALS, WORD_DASH_EQUALS_DOT,
};
use super::super::shape::{Part, text};
use super::{Marked, inside, token};

pub(super) const KINDS: &[Marked] = &[
    token(
        "slack-client-token",
        &["xoxc-"],
        &[
            text("xoxc-"),
            DIGIT.between(10, 13),
            text("-"),
            DIGIT.between(10, 13),
            text("-"),
            DIGIT.between(10, 13),
            text("-"),
            LOWER_HEX.exactly(64),
        ],
    )
    .entropy(3000),
    token("slack-session-cookie", &["xoxd-"], &[text("xoxd-"), PERCENT_BASE64.between(40, 200)])
        .entropy(3500),
    token("slack-workflow-token", &["xwfp-"], &[text("xwfp-"), ALNUM_DASH.between(30, 200)]).entropy(3000),
    inside(
        "discord-webhook-url",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        &[
            Part::OneOf(&[&[text("discord")], &[text("discordapp")]]),
            text(".com/api/webhooks/"),
            DIGIT.between(17, 20),
            text("/"),
            WORD_DASH.between(60, 72),
        ],
    )
    .entropy(3500),
    token("telegram-bot-api-token", &[":AA"], &[DIGIT.between(8, 10), text(":AA"), WORD_DASH.exactly(33)])
        .behind_digits(10)
        .entropy(3500),
    token("linear-oauth-token", &["lin_oauth_"], &[text("lin_oauth_"), LOWER_HEX.exactly(64)]).entropy(3000),
    token("notion-api-token", &["ntn_"], &[text("ntn_"), ALNUM.between(43, 50)]).entropy(3500),
    token("notion-integration-token", &["secret_"], &[text("secret_"), ALNUM.exactly(43)]).entropy(4000),
    token(
        "figma-token",
        &["figd_", "figo_", "figu_", "figdr_", "figor_", "figur_"],
        &[
            text("fig"),
            Part::OneOf(&[&[text("d")], &[text("o")], &[text("u")]]),
            Part::OneOf(&[&[text("r")], &[]]),
            text("_"),
            WORD_DASH.between(40, 48),
        ],
    )
    .entropy(3500),
    token(
        "hubspot-private-app-token",
        &["pat-na", "pat-eu", "pat-ap"],
        &[
            text("pat-"),
            Part::OneOf(&[&[text("na")], &[text("eu")], &[text("ap")]]),
            DIGIT.exactly(1),
            text("-"),
            LOWER_HEX.exactly(8),
            text("-"),
            LOWER_HEX.exactly(4),
            text("-"),
            LOWER_HEX.exactly(4),
            text("-"),
            LOWER_HEX.exactly(4),
            text("-"),
            LOWER_HEX.exactly(12),
        ],
    )
    .entropy(3000),
    token("posthog-personal-api-key", &["phx_"], &[text("phx_"), ALNUM.between(43, 50)]).entropy(3500),
    token("trello-token", &["ATTA"], &[text("ATTA"), HEX.exactly(72)]).entropy(3500),
    token("clickup-token", &["pk_"], &[text("pk_"), DIGIT.between(6, 9), text("_"), UPPER.exactly(32)])
        .entropy(3500),
    token("resend-api-key", &["re_"], &[text("re_"), ALNUM.exactly(8), text("_"), ALNUM.between(20, 28)])
        .entropy(3500),
    token(
        "sendinblue-smtp-key",
        &["xsmtpsib-"],
        &[text("xsmtpsib-"), LOWER_HEX.exactly(64), text("-"), ALNUM.exactly(16)],
    )
    .entropy(3000),
    token("mandrill-api-key", &["md-"], &[text("md-"), WORD_DASH.exactly(22)]).entropy(3900),
    token("mailchimp-api-key", &["-us"], &[LOWER_HEX.exactly(32), text("-us"), DIGIT.between(1, 2)])
        .back(32)
        .entropy(3000),
    token("mailgun-private-api-token", &["key-"], &[text("key-"), LOWER_HEX.exactly(32)]).entropy(3000),
    token("stripe-webhook-secret", &["whsec_"], &[text("whsec_"), BASE64.between(32, 64)]).entropy(3500),
    token("square-client-secret", &["sq0csp-"], &[text("sq0csp-"), WORD_DASH.exactly(43)]).entropy(3500),
    token(
        "braintree-access-token",
        &["access_token$"],
        &[
            text("access_token$"),
            Part::OneOf(&[&[text("production")], &[text("sandbox")]]),
            text("$"),
            LOWER.exactly(16),
            text("$"),
            LOWER_HEX.exactly(32),
        ],
    )
    .entropy(3000),
    token(
        "paddle-api-key",
        &["pdl_live_apikey_", "pdl_sdbx_apikey_"],
        &[
            text("pdl_"),
            Part::OneOf(&[&[text("live")], &[text("sdbx")]]),
            text("_apikey_"),
            LOWER.exactly(26),
            text("_"),
            ALNUM.exactly(22),
            text("_"),
            ALNUM.exactly(3),
        ],
    )
    .entropy(3500),
    token(
        "shopify-app-token",
        &["shptka_", "shpua_", "shprt_", "shppca_"],
        &[
            text("shp"),
            Part::OneOf(&[&[text("tka")], &[text("ua")], &[text("rt")], &[text("pca")]]),
            text("_"),
            HEX.exactly(32),
        ],
    )
    .entropy(3000),
    token("statsig-secret", &["secret-"], &[text("secret-"), ALNUM.exactly(43)]).entropy(4000),
    token(
        "stytch-secret",
        &["secret-live-", "secret-test-"],
        &[
            text("secret-"),
            Part::OneOf(&[&[text("live")], &[text("test")]]),
            text("-"),
            WORD_DASH_EQUALS.exactly(36),
        ],
    )
    .entropy(3500),
    token("contentful-personal-access-token", &["CFPAT-"], &[text("CFPAT-"), WORD_DASH.exactly(43)])
        .entropy(3500),
    token(
        "mapbox-secret-token",
        &["sk.eyJ"],
        &[text("sk.eyJ"), ALNUM.between(50, 120), text("."), WORD_DASH.exactly(22)],
    )
    .entropy(3500),
    token(
        "salesforce-session-id",
        &["00D"],
        &[text("00D"), ALNUM.between(12, 15), text("!"), WORD_DASH_EQUALS_DOT.between(80, 200)],
    )
    .entropy(3500),
    inside(
        "zapier-webhook-url",
        &["hooks.zapier.com/hooks/catch/"],
        &[text("hooks.zapier.com/hooks/catch/"), DIGIT.between(5, 10), text("/"), LOWER.between(6, 10)],
    )
    .entropy(3000),
    token(
        "dropbox-access-token",
        &["sl."],
        &[text("sl."), Part::OneOf(&[&[text("u.")], &[]]), WORD_DASH.between(130, 1500)],
    )
    .entropy(3500),
    token("pubnub-secret-key", &["sec-c-"], &[text("sec-c-"), ALNUM.exactly(48)]).entropy(3500),
    token("typeform-api-token", &["tfp_"], &[text("tfp_"), WORD_DASH_EQUALS_DOT.between(44, 59)])
        .entropy(3500),
];
