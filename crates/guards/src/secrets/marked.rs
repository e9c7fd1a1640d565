//! Secrets that are known by their own look: what they begin with or carry inside. Data only; newer formats are in the tables
//! below `marked/`.

mod models;
mod platforms;
mod services;

use super::edge::{After, Before};
use super::set::{
    ALNUM, ALNUM_DASH, ANY_BASE64, BASE32, BASE64, BECH32, DASHES, DIGIT, HEX, JWT, LETTER, LOWER, LOWER_HEX,
    PADDING, TILDE, TILDE_DASH, TO_H, UPPER, WORD, WORD_DASH, WORD_DASH_EQUALS, WORD_DASH_EQUALS_DOT,
};
use super::shape::{Part, folded, text};

/// One kind of secret that needs nothing around it to be known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marked {
    pub(super) label: &'static str,
    /// What is searched for, in any case.
    pub(super) anchors: &'static [&'static str],
    /// How far before the anchor it begins.
    pub(super) back: usize,
    /// How many digits may stand before the anchor and belong to it.
    pub(super) leading_digits: usize,
    pub(super) before: Before,
    pub(super) parts: &'static [Part],
    pub(super) after: After,
    /// Below this it is a placeholder, in thousandths of a bit a character.
    pub(super) entropy_millis: u32,
}

impl Marked {
    const fn back(mut self, back: usize) -> Self {
        self.back = back;
        self
    }

    const fn behind_digits(mut self, most: usize) -> Self {
        self.leading_digits = most;
        self
    }

    const fn entropy(mut self, millis: u32) -> Self {
        self.entropy_millis = millis;
        self
    }

    const fn until_word_end(mut self) -> Self {
        self.after = After::Word;
        self
    }

    const fn opened(mut self) -> Self {
        self.before = Before::Opening;
        self
    }
}

/// Stands alone: a word begins with it and a token ends with it.
const fn token(label: &'static str, anchors: &'static [&'static str], parts: &'static [Part]) -> Marked {
    let (before, after) = (Before::Word, After::Token);
    Marked { label, anchors, back: 0, leading_digits: 0, before, parts, after, entropy_millis: 2000 }
}

/// Found anywhere, whatever stands around it.
const fn inside(label: &'static str, anchors: &'static [&'static str], parts: &'static [Part]) -> Marked {
    let (before, after) = (Before::Anything, After::Anything);
    Marked { label, anchors, back: 0, leading_digits: 0, before, parts, after, entropy_millis: 2000 }
}

const GUID: Part = Part::OneOf(&[&[
    LOWER.exactly(8),
    text("-"),
    LOWER.exactly(4),
    text("-"),
    LOWER.exactly(4),
    text("-"),
    LOWER.exactly(4),
    text("-"),
    LOWER.exactly(12),
]]);

/// Every kind. Of two that begin alike the first that fits gives its label.
pub(super) fn kinds() -> impl Iterator<Item = &'static Marked> {
    [KINDS, models::KINDS, platforms::KINDS, services::KINDS].into_iter().flatten()
}

const KINDS: &[Marked] = &[
    token(
        "1password-secret-key",
        &["A3-"],
        &[
            text("A3-"),
            UPPER.exactly(6),
            text("-"),
            Part::OneOf(&[&[UPPER.exactly(11)], &[UPPER.exactly(6), text("-"), UPPER.exactly(5)]]),
            text("-"),
            UPPER.exactly(5),
            text("-"),
            UPPER.exactly(5),
            text("-"),
            UPPER.exactly(5),
        ],
    )
    .until_word_end()
    .entropy(3800),
    inside(
        "1password-service-account-token",
        &["ops_eyJ"],
        &[text("ops_eyJ"), BASE64.at_least(250), PADDING.between(0, 3)],
    )
    .entropy(4000),
    token("adobe-client-secret", &["p8e-"], &[text("p8e-"), ALNUM.exactly(32)]),
    inside("age-secret-key", &["AGE-SECRET-KEY-1"], &[text("AGE-SECRET-KEY-1"), BECH32.at_least(58)])
        .entropy(0),
    token(
        "airtable-personal-access-token",
        &["pat"],
        &[text("pat"), ALNUM.exactly(14), text("."), LOWER_HEX.exactly(64)],
    )
    .until_word_end(),
    token("alibaba-access-key-id", &["LTAI"], &[text("LTAI"), ALNUM.exactly(20)]),
    token("artifactory-api-key", &["AKCp"], &[text("AKCp"), ALNUM.exactly(69)])
        .until_word_end()
        .entropy(4500),
    token("artifactory-reference-token", &["cmVmd"], &[text("cmVmd"), ALNUM.exactly(59)])
        .until_word_end()
        .entropy(4500),
    token("atlassian-api-token", &["ATATT3"], &[folded("ATATT3"), WORD_DASH_EQUALS.exactly(186)])
        .entropy(3500),
    token(
        "authress-service-client-access-key",
        &["sc_", "ext_", "scauth_", "authress_"],
        &[
            Part::OneOf(&[&[text("sc_")], &[text("ext_")], &[text("scauth_")], &[text("authress_")]]),
            ALNUM.between(5, 30),
            text("."),
            ALNUM.between(4, 6),
            text(".acc"),
            DASHES.exactly(1),
            ALNUM_DASH.between(10, 32),
            text("."),
            ANY_BASE64.between(30, 120),
        ],
    ),
    token(
        "aws-access-token",
        &["A3T", "AKIA", "ASIA", "ABIA", "ACCA"],
        &[
            Part::OneOf(&[
                &[text("AKIA")],
                &[text("ASIA")],
                &[text("ABIA")],
                &[text("ACCA")],
                &[text("A3T"), UPPER.exactly(1)],
            ]),
            BASE32.exactly(16),
        ],
    )
    .until_word_end()
    .entropy(3000),
    token("aws-bedrock-api-key", &["ABSK"], &[text("ABSK"), BASE64.between(109, 269), PADDING.between(0, 2)])
        .entropy(3000),
    inside(
        "aws-bedrock-session-key",
        &["bedrock-api-key-"],
        &[text("bedrock-api-key-"), text("YmVkcm9jay5hbWF6b25hd3MuY29t"), ANY_BASE64.at_least(0)],
    ),
    token(
        "azure-ad-client-secret",
        &["Q~"],
        &[TILDE.exactly(3), DIGIT.exactly(1), text("Q~"), TILDE_DASH.between(31, 34)],
    )
    .back(4)
    .opened()
    .entropy(3000),
    token("clickhouse-cloud-api-secret-key", &["4b1d"], &[text("4b1d"), ALNUM.exactly(38)])
        .until_word_end()
        .entropy(3000),
    inside("clojars-api-token", &["clojars_"], &[folded("clojars_"), ALNUM.at_least(60)]),
    token(
        "cloudflare-origin-ca-key",
        &["v1.0-"],
        &[text("v1.0-"), LOWER_HEX.exactly(24), text("-"), LOWER_HEX.exactly(146)],
    ),
    token(
        "databricks-api-token",
        &["dapi"],
        &[text("dapi"), LOWER_HEX.exactly(32), Part::OneOf(&[&[text("-"), DIGIT.exactly(1)], &[]])],
    )
    .entropy(3000),
    token("digitalocean-access-token", &["doo_v1_"], &[text("doo_v1_"), LOWER_HEX.exactly(64)]).entropy(3000),
    token("digitalocean-pat", &["dop_v1_"], &[text("dop_v1_"), LOWER_HEX.exactly(64)]).entropy(3000),
    token("digitalocean-refresh-token", &["dor_v1_"], &[folded("dor_v1_"), HEX.exactly(64)]).entropy(0),
    inside("doppler-api-token", &["dp.pt."], &[text("dp.pt."), ALNUM.at_least(43)]),
    inside(
        "duffel-api-token",
        &["duffel_"],
        &[Part::OneOf(&[&[text("duffel_test_")], &[text("duffel_live_")]]), WORD_DASH_EQUALS.at_least(43)],
    ),
    inside(
        "dynatrace-api-token",
        &["dt0c01."],
        &[text("dt0c01."), ALNUM.exactly(24), text("."), ALNUM.at_least(64)],
    )
    .entropy(4000),
    token("easypost-api-token", &["EZAK"], &[text("EZAK"), ALNUM.exactly(54)]).until_word_end(),
    token("easypost-test-api-token", &["EZTK"], &[text("EZTK"), ALNUM.exactly(54)]).until_word_end(),
    token(
        "facebook-page-access-token",
        &["EAAM", "EAAC"],
        &[Part::OneOf(&[&[text("EAAM")], &[text("EAAC")]]), ALNUM.at_least(100)],
    )
    .entropy(4000),
    inside(
        "flutterwave-secret-key",
        &["FLWSECK_TEST-"],
        &[text("FLWSECK_TEST-"), TO_H.at_least(12), Part::OneOf(&[&[folded("-X")], &[]])],
    ),
    inside(
        "flutterwave-public-key",
        &["FLWPUBK_TEST-"],
        &[text("FLWPUBK_TEST-"), TO_H.exactly(32), folded("-X")],
    ),
    token(
        "flyio-access-token",
        &["fo1_", "fm1a_", "fm1r_", "fm2_"],
        &[Part::OneOf(&[
            &[text("fo1_"), WORD_DASH.exactly(43)],
            &[text("fm1a_"), BASE64.at_least(100), PADDING.between(0, 3)],
            &[text("fm1r_"), BASE64.at_least(100), PADDING.between(0, 3)],
            &[text("fm2_"), BASE64.at_least(100), PADDING.between(0, 3)],
        ])],
    )
    .entropy(4000),
    inside("frameio-api-token", &["fio-u-"], &[text("fio-u-"), WORD_DASH_EQUALS.at_least(64)]).entropy(0),
    token("gcp-api-key", &["AIza"], &[text("AIza"), WORD_DASH.exactly(35)]).entropy(4000),
    inside(
        "github-app-token",
        &["ghu_", "ghs_"],
        &[Part::OneOf(&[&[text("ghu_")], &[text("ghs_")]]), ALNUM.at_least(36)],
    )
    .entropy(3000),
    inside("github-fine-grained-pat", &["github_pat_"], &[text("github_pat_"), WORD.at_least(82)])
        .entropy(3000),
    inside("github-oauth", &["gho_"], &[text("gho_"), ALNUM.at_least(36)]).entropy(3000),
    inside("github-pat", &["ghp_"], &[text("ghp_"), ALNUM.at_least(36)]).entropy(3000),
    inside("github-refresh-token", &["ghr_"], &[text("ghr_"), ALNUM.at_least(36)]).entropy(3000),
    inside(
        "gitlab-cicd-job-token",
        &["glcbt-"],
        &[text("glcbt-"), ALNUM.between(1, 5), text("_"), WORD_DASH.at_least(20)],
    )
    .entropy(3000),
    inside("gitlab-deploy-token", &["gldt-"], &[text("gldt-"), WORD_DASH.at_least(20)]).entropy(3000),
    inside("gitlab-feature-flag-client-token", &["glffct-"], &[text("glffct-"), WORD_DASH.at_least(20)])
        .entropy(3000),
    inside("gitlab-feed-token", &["glft-"], &[text("glft-"), WORD_DASH.at_least(20)]).entropy(3000),
    inside("gitlab-incoming-mail-token", &["glimt-"], &[text("glimt-"), WORD_DASH.at_least(25)])
        .entropy(3000),
    inside("gitlab-kubernetes-agent-token", &["glagent-"], &[text("glagent-"), WORD_DASH.at_least(50)])
        .entropy(3000),
    inside("gitlab-oauth-app-secret", &["gloas-"], &[text("gloas-"), WORD_DASH.at_least(64)]).entropy(3000),
    inside(
        "gitlab-pat",
        &["glpat-"],
        &[text("glpat-"), WORD_DASH.at_least(20), Part::OneOf(&[&[text("."), LOWER.exactly(9)], &[]])],
    )
    .entropy(3000),
    inside("gitlab-ptt", &["glptt-"], &[text("glptt-"), LOWER_HEX.at_least(40)]).entropy(3000),
    inside("gitlab-rrt", &["GR1348941"], &[text("GR1348941"), WORD_DASH.at_least(20)]).entropy(3000),
    inside(
        "gitlab-runner-authentication-token",
        &["glrt-"],
        &[text("glrt-"), WORD_DASH.at_least(20), Part::OneOf(&[&[text("."), LOWER.exactly(9)], &[]])],
    )
    .entropy(3000),
    inside("gitlab-scim-token", &["glsoat-"], &[text("glsoat-"), WORD_DASH.at_least(20)]).entropy(3000),
    inside("gitlab-session-cookie", &["_gitlab_session="], &[text("_gitlab_session="), LOWER.at_least(32)])
        .entropy(3000),
    token(
        "grafana-api-key",
        &["eyJrIjoi"],
        &[folded("eyJrIjoi"), ALNUM.between(70, 400), PADDING.between(0, 3)],
    )
    .entropy(3000),
    token(
        "grafana-cloud-api-token",
        &["glc_"],
        &[folded("glc_"), BASE64.between(32, 400), PADDING.between(0, 3)],
    )
    .entropy(3000),
    token(
        "grafana-service-account-token",
        &["glsa_"],
        &[folded("glsa_"), ALNUM.exactly(32), text("_"), HEX.exactly(8)],
    )
    .entropy(3000),
    inside(
        "harness-api-key",
        &["pat.", "sat."],
        &[
            Part::OneOf(&[&[text("pat.")], &[text("sat.")]]),
            WORD_DASH.exactly(22),
            text("."),
            ALNUM.exactly(24),
            text("."),
            ALNUM.at_least(20),
        ],
    )
    .entropy(0),
    inside(
        "hashicorp-tf-api-token",
        &[".atlasv1."],
        &[ALNUM.exactly(14), text(".atlasv1."), WORD_DASH_EQUALS.at_least(60)],
    )
    .back(14)
    .entropy(3500),
    token("heroku-api-key-v2", &["HRKU-AA"], &[text("HRKU-AA"), WORD_DASH.exactly(58)]).entropy(4000),
    token("huggingface-organization-api-token", &["api_org_"], &[text("api_org_"), LETTER.exactly(34)]),
    token("infracost-api-token", &["ico-"], &[text("ico-"), ALNUM.exactly(32)]).entropy(3000),
    token(
        "intra42-client-secret",
        &["s-s4t2ud-", "s-s4t2af-"],
        &[Part::OneOf(&[&[text("s-s4t2ud-")], &[text("s-s4t2af-")]]), HEX.exactly(64)],
    )
    .entropy(3000),
    token(
        "jwt",
        &["ey"],
        &[
            text("ey"),
            ALNUM.at_least(17),
            text(".ey"),
            JWT.at_least(17),
            text("."),
            Part::OneOf(&[&[JWT.at_least(10), PADDING.between(0, 2)], &[]]),
        ],
    )
    .entropy(3000),
    inside("linear-api-key", &["lin_api_"], &[text("lin_api_"), ALNUM.at_least(40)]),
    token("maxmind-license-key", &["_mmk"], &[ALNUM.exactly(6), text("_"), ALNUM.exactly(29), text("_mmk")])
        .back(36)
        .entropy(4000),
    inside(
        "microsoft-teams-webhook",
        &["webhook.office.com/webhookb2/"],
        &[
            text("webhook.office.com/webhookb2/"),
            GUID,
            text("@"),
            GUID,
            text("/IncomingWebhook/"),
            LOWER.exactly(32),
            text("/"),
            GUID,
        ],
    )
    .entropy(0),
    token("npm-access-token", &["npm_"], &[folded("npm_"), ALNUM.exactly(36)]),
    token("octopus-deploy-api-key", &["API-"], &[text("API-"), UPPER.exactly(26)]).entropy(3000),
    token("openshift-user-token", &["sha256~"], &[text("sha256~"), WORD_DASH.exactly(43)])
        .until_word_end()
        .entropy(3500),
    token("perplexity-api-key", &["pplx-"], &[text("pplx-"), ALNUM.exactly(48)])
        .until_word_end()
        .entropy(4000),
    token(
        "planetscale-api-token",
        &["pscale_tkn_"],
        &[text("pscale_tkn_"), WORD_DASH_EQUALS_DOT.between(32, 64)],
    )
    .entropy(3000),
    token(
        "planetscale-oauth-token",
        &["pscale_oauth_"],
        &[text("pscale_oauth_"), WORD_DASH_EQUALS_DOT.between(32, 64)],
    )
    .entropy(3000),
    token(
        "planetscale-password",
        &["pscale_pw_"],
        &[folded("pscale_pw_"), WORD_DASH_EQUALS_DOT.between(32, 64)],
    )
    .entropy(3000),
    token("postman-api-token", &["PMAK-"], &[text("PMAK-"), HEX.exactly(24), text("-"), HEX.exactly(34)])
        .entropy(3000),
    token("prefect-api-token", &["pnu_"], &[text("pnu_"), ALNUM.exactly(36)]),
    token("pulumi-api-token", &["pul-"], &[text("pul-"), LOWER_HEX.exactly(40)]),
    inside(
        "pypi-upload-token",
        &["pypi-AgEIcHlwaS5vcmc"],
        &[text("pypi-AgEIcHlwaS5vcmc"), WORD_DASH.at_least(50)],
    )
    .entropy(3000),
    token("readme-api-token", &["rdme_"], &[text("rdme_"), LOWER.exactly(70)]),
    token("rubygems-api-token", &["rubygems_"], &[text("rubygems_"), LOWER_HEX.exactly(48)]),
    token("scalingo-api-token", &["tk-us-"], &[text("tk-us-"), WORD_DASH.exactly(48)]),
    token("sendgrid-api-token", &["SG."], &[text("SG."), WORD_DASH_EQUALS_DOT.exactly(66)]),
    token(
        "sendinblue-api-token",
        &["xkeysib-"],
        &[text("xkeysib-"), LOWER_HEX.exactly(64), text("-"), ALNUM.exactly(16)],
    ),
    token("sentry-user-token", &["sntryu_"], &[text("sntryu_"), LOWER_HEX.exactly(64)]).entropy(3500),
    token("settlemint-application-access-token", &["sm_aat_"], &[text("sm_aat_"), ALNUM.exactly(16)])
        .entropy(3000),
    token("settlemint-personal-access-token", &["sm_pat_"], &[text("sm_pat_"), ALNUM.exactly(16)])
        .entropy(3000),
    token("settlemint-service-access-token", &["sm_sat_"], &[text("sm_sat_"), ALNUM.exactly(16)])
        .entropy(3000),
    token(
        "shippo-api-token",
        &["shippo_live_", "shippo_test_"],
        &[Part::OneOf(&[&[text("shippo_live_")], &[text("shippo_test_")]]), HEX.exactly(40)],
    ),
    inside("shopify-access-token", &["shpat_"], &[text("shpat_"), HEX.at_least(32)]),
    inside("shopify-custom-access-token", &["shpca_"], &[text("shpca_"), HEX.at_least(32)]),
    inside("shopify-private-app-access-token", &["shppa_"], &[text("shppa_"), HEX.at_least(32)]),
    inside("shopify-shared-secret", &["shpss_"], &[text("shpss_"), HEX.at_least(32)]),
    inside(
        "slack-app-token",
        &["xapp-"],
        &[
            folded("xapp-"),
            DIGIT.exactly(1),
            text("-"),
            ALNUM.at_least(1),
            text("-"),
            DIGIT.at_least(1),
            text("-"),
            ALNUM.at_least(1),
        ],
    ),
    inside(
        "slack-bot-token",
        &["xoxb-"],
        &[
            text("xoxb-"),
            Part::OneOf(&[
                &[DIGIT.between(10, 13), text("-"), DIGIT.between(10, 13), ALNUM_DASH.at_least(0)],
                &[DIGIT.between(8, 14), text("-"), ALNUM.at_least(18)],
            ]),
        ],
    ),
    inside(
        "slack-config-access-token",
        &["xoxe.xox"],
        &[
            folded("xoxe.xox"),
            Part::OneOf(&[&[folded("b-")], &[folded("p-")]]),
            DIGIT.exactly(1),
            text("-"),
            ALNUM.at_least(163),
        ],
    ),
    inside(
        "slack-config-refresh-token",
        &["xoxe-"],
        &[folded("xoxe-"), DIGIT.exactly(1), text("-"), ALNUM.at_least(146)],
    ),
    inside(
        "slack-legacy-token",
        &["xoxo-", "xoxs-"],
        &[
            Part::OneOf(&[&[text("xoxo-")], &[text("xoxs-")]]),
            DIGIT.at_least(1),
            text("-"),
            DIGIT.at_least(1),
            text("-"),
            DIGIT.at_least(1),
            text("-"),
            HEX.at_least(1),
        ],
    ),
    inside(
        "slack-legacy-workspace-token",
        &["xoxa-", "xoxr-"],
        &[
            Part::OneOf(&[&[text("xoxa-")], &[text("xoxr-")]]),
            Part::OneOf(&[&[DIGIT.exactly(1), text("-"), ALNUM.at_least(8)], &[ALNUM.at_least(8)]]),
        ],
    ),
    inside(
        "slack-user-token",
        &["xoxp-", "xoxe-"],
        &[
            Part::OneOf(&[&[text("xoxp-")], &[text("xoxe-")]]),
            DIGIT.between(10, 13),
            text("-"),
            DIGIT.between(10, 13),
            text("-"),
            DIGIT.between(10, 13),
            text("-"),
            ALNUM_DASH.at_least(28),
        ],
    ),
    inside(
        "slack-webhook-url",
        &["hooks.slack.com/"],
        &[
            text("hooks.slack.com/"),
            Part::OneOf(&[&[text("services/")], &[text("workflows/")], &[text("triggers/")]]),
            BASE64.at_least(43),
        ],
    )
    .entropy(0),
    token(
        "sourcegraph-access-token",
        &["sgp_"],
        &[
            folded("sgp_"),
            Part::OneOf(&[
                &[HEX.exactly(16), text("_"), HEX.exactly(40)],
                &[folded("local_"), HEX.exactly(40)],
                &[HEX.exactly(40)],
            ]),
        ],
    )
    .entropy(3000),
    token(
        "square-access-token",
        &["EAAA", "sq0atp-"],
        &[Part::OneOf(&[&[text("EAAA")], &[text("sq0atp-")]]), WORD_DASH.between(22, 60)],
    ),
    token(
        "stripe-access-token",
        &["sk_test_", "sk_live_", "sk_prod_", "rk_test_", "rk_live_", "rk_prod_"],
        &[
            Part::OneOf(&[&[text("sk_")], &[text("rk_")]]),
            Part::OneOf(&[&[text("test_")], &[text("live_")], &[text("prod_")]]),
            ALNUM.between(10, 99),
        ],
    ),
    inside("twilio-api-key", &["SK"], &[text("SK"), HEX.at_least(32)]).entropy(3000),
    token("vault-batch-token", &["hvb."], &[text("hvb."), WORD_DASH.between(138, 300)]).entropy(4000),
    token("vault-service-token", &["hvs."], &[text("hvs."), WORD_DASH.between(90, 120)]).entropy(3500),
    token("vault-service-token", &["s."], &[text("s."), ALNUM.exactly(24)]).entropy(3500),
];
