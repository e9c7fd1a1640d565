//! Keys of clouds, hosting, registries, build services and databases. Data only.

use super::super::set::{
    ALNUM, BASE64, HEX, LOWER, LOWER_HEX, PADDING, PERCENT, UPPER, WORD_DASH, WORD_DASH_EQUALS,
};
use super::super::shape::{Part, text};
use super::{Marked, inside, token};

pub(super) const KINDS: &[Marked] = &[
    token("gcp-oauth-client-secret", &["GOCSPX-"], &[text("GOCSPX-"), WORD_DASH.exactly(28)]).entropy(3000),
    token("gcp-oauth-access-token", &["ya29."], &[text("ya29."), WORD_DASH.between(30, 2000)]).entropy(3500),
    token("gcp-oauth-refresh-token", &["1//0"], &[text("1//0"), WORD_DASH.between(40, 200)]).entropy(3500),
    token(
        "firebase-cloud-messaging-key",
        &[":APA91b"],
        &[text("AAAA"), WORD_DASH.exactly(7), text(":APA91b"), WORD_DASH.exactly(134)],
    )
    .back(11)
    .entropy(3500),
    token(
        "aws-session-token",
        &["IQoJb3JpZ2lu"],
        &[text("IQoJb3JpZ2lu"), BASE64.between(100, 2000), PADDING.between(0, 2)],
    )
    .entropy(4000),
    token(
        "aws-session-token",
        &["FwoGZXIvYXdz"],
        &[text("FwoGZXIvYXdz"), BASE64.between(100, 2000), PADDING.between(0, 2)],
    )
    .entropy(4000),
    token(
        "amazon-mws-token",
        &["amzn.mws."],
        &[
            text("amzn.mws."),
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
    token(
        "amazon-lwa-client-secret",
        &["amzn1.oa2-cs.v1."],
        &[text("amzn1.oa2-cs.v1."), LOWER_HEX.exactly(64)],
    )
    .entropy(3000),
    inside(
        "azure-storage-account-key",
        &["AccountKey="],
        &[text("AccountKey="), BASE64.exactly(86), text("==")],
    )
    .entropy(3500),
    inside(
        "azure-shared-access-key",
        &["SharedAccessKey="],
        &[text("SharedAccessKey="), BASE64.exactly(43), text("=")],
    )
    .entropy(3500),
    token(
        "azure-container-registry-key",
        &["+ACR"],
        &[
            BASE64.exactly(42),
            text("+ACR"),
            Part::OneOf(&[&[text("A")], &[text("B")], &[text("C")], &[text("D")]]),
            BASE64.exactly(6),
        ],
    )
    .back(42)
    .entropy(3500),
    token("azure-devops-token", &["AZDO"], &[ALNUM.exactly(76), text("AZDO"), ALNUM.exactly(4)])
        .back(76)
        .entropy(3500),
    inside(
        "azure-sas-signature",
        &["?sig=", "&sig="],
        &[Part::OneOf(&[&[text("?")], &[text("&")]]), text("sig="), PERCENT.between(43, 80)],
    )
    .entropy(3500),
    token(
        "netlify-access-token",
        &["nfp_", "nfc_", "nfo_", "nfu_", "nfb_"],
        &[
            text("nf"),
            Part::OneOf(&[&[text("p")], &[text("c")], &[text("o")], &[text("u")], &[text("b")]]),
            text("_"),
            ALNUM.exactly(36),
        ],
    )
    .entropy(3500),
    token(
        "vercel-token",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_"],
        &[
            text("vc"),
            Part::OneOf(&[&[text("p")], &[text("i")], &[text("a")], &[text("r")], &[text("k")]]),
            text("_"),
            WORD_DASH.exactly(50),
            ALNUM.exactly(6),
        ],
    )
    .entropy(3500),
    token(
        "vercel-blob-token",
        &["vercel_blob_rw_"],
        &[text("vercel_blob_rw_"), ALNUM.exactly(16), text("_"), ALNUM.exactly(30)],
    )
    .entropy(3500),
    token(
        "supabase-access-token",
        &["sbp_"],
        &[text("sbp_"), Part::OneOf(&[&[text("oauth_")], &[text("v0_")], &[]]), LOWER_HEX.exactly(40)],
    )
    .entropy(3000),
    token("supabase-secret-key", &["sb_secret_"], &[text("sb_secret_"), WORD_DASH.exactly(31)]).entropy(3500),
    token("render-api-key", &["rnd_"], &[text("rnd_"), ALNUM.between(28, 32)]).entropy(3500),
    token(
        "cloudflare-api-token",
        &["cfut_", "cfat_", "cfk_"],
        &[
            text("cf"),
            Part::OneOf(&[&[text("ut")], &[text("at")], &[text("k")]]),
            text("_"),
            ALNUM.exactly(40),
            LOWER_HEX.exactly(8),
        ],
    )
    .entropy(3500),
    token("databricks-oauth-secret", &["dose"], &[text("dose"), LOWER_HEX.exactly(32)]).entropy(3000),
    inside("gitlab-runner-registration-token", &["glrtr-"], &[text("glrtr-"), WORD_DASH.between(20, 100)])
        .entropy(3000),
    inside("gitlab-workspace-token", &["glwt-"], &[text("glwt-"), WORD_DASH.between(20, 100)]).entropy(3000),
    token(
        "doppler-token",
        &["dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        &[
            text("dp."),
            Part::OneOf(&[&[text("ct")], &[text("sa")], &[text("scim")], &[text("audit")]]),
            text("."),
            ALNUM.between(40, 44),
        ],
    )
    .entropy(3000),
    token(
        "doppler-service-token",
        &["dp.st."],
        &[text("dp.st."), Part::OneOf(&[&[WORD_DASH.between(2, 35), text(".")], &[]]), ALNUM.between(40, 44)],
    )
    .entropy(3000),
    inside(
        "pypi-test-token",
        &["pypi-AgENdGVzdC5weXBpLm9yZw"],
        &[text("pypi-AgENdGVzdC5weXBpLm9yZw"), WORD_DASH.between(50, 1000)],
    )
    .entropy(3000),
    token("crates-io-token", &["cio"], &[text("cio"), ALNUM.exactly(32)]).entropy(3800),
    token("nuget-api-key", &["oy2"], &[text("oy2"), LOWER.exactly(43)]).entropy(3500),
    token(
        "docker-hub-token",
        &["dckr_pat_", "dckr_oat_"],
        &[
            text("dckr_"),
            Part::OneOf(&[&[text("pat")], &[text("oat")]]),
            text("_"),
            WORD_DASH.between(27, 36),
        ],
    )
    .entropy(3000),
    token(
        "circleci-token",
        &["CCIPAT_", "CCIPRJ_"],
        &[
            text("CCIP"),
            Part::OneOf(&[&[text("AT")], &[text("RJ")]]),
            text("_"),
            ALNUM.exactly(22),
            text("_"),
            LOWER_HEX.exactly(40),
        ],
    )
    .entropy(3500),
    token(
        "buildkite-token",
        &["bkua_", "bkaj_", "bkpi_"],
        &[
            text("bk"),
            Part::OneOf(&[&[text("ua")], &[text("aj")], &[text("pi")]]),
            text("_"),
            LOWER_HEX.exactly(40),
        ],
    )
    .entropy(3000),
    token(
        "sonar-token",
        &["squ_", "sqp_", "sqa_"],
        &[
            text("sq"),
            Part::OneOf(&[&[text("u")], &[text("p")], &[text("a")]]),
            text("_"),
            LOWER_HEX.exactly(40),
        ],
    )
    .entropy(3000),
    token(
        "tailscale-key",
        &["tskey-"],
        &[
            text("tskey-"),
            Part::OneOf(&[
                &[text("auth")],
                &[text("api")],
                &[text("client")],
                &[text("scim")],
                &[text("webhook")],
            ]),
            text("-"),
            ALNUM.between(8, 24),
            text("-"),
            ALNUM.between(16, 64),
        ],
    )
    .entropy(3500),
    token("neon-api-key", &["napi_"], &[text("napi_"), LOWER.exactly(64)]).entropy(3500),
    token("neon-password", &["npg_"], &[text("npg_"), ALNUM.between(12, 32)]).entropy(3000),
    token("xata-api-key", &["xau_"], &[text("xau_"), ALNUM.between(38, 44)]).entropy(3500),
    token(
        "cockroachdb-api-key",
        &["CCDB1_"],
        &[text("CCDB1_"), ALNUM.exactly(22), text("_"), ALNUM.exactly(40)],
    )
    .entropy(3500),
    token("mongodb-atlas-secret", &["mdb_sa_sk_"], &[text("mdb_sa_sk_"), WORD_DASH.between(36, 48)])
        .entropy(3500),
    token("aiven-password", &["AVNS_"], &[text("AVNS_"), WORD_DASH.exactly(19)]).entropy(3500),
    token(
        "dbt-token",
        &["dbtc_", "dbtu_"],
        &[
            text("dbt"),
            Part::OneOf(&[&[text("c")], &[text("u")]]),
            text("_"),
            WORD_DASH_EQUALS.between(36, 60),
        ],
    )
    .entropy(3500),
    token("rancher-token", &["token-"], &[text("token-"), LOWER.exactly(5), text(":"), LOWER.exactly(54)])
        .entropy(3500),
    token("bitbucket-app-password", &["ATBB"], &[text("ATBB"), ALNUM.exactly(24), HEX.exactly(8)])
        .entropy(3500),
    token("bitbucket-access-token", &["ATCTT3"], &[text("ATCTT3"), WORD_DASH_EQUALS.between(180, 200)])
        .entropy(3500),
    token(
        "launchdarkly-key",
        &["api-", "sdk-"],
        &[
            Part::OneOf(&[&[text("api")], &[text("sdk")]]),
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
    token("new-relic-license-key", &["NRAL"], &[LOWER_HEX.exactly(36), text("NRAL")]).back(36).entropy(3000),
    token("new-relic-user-api-key", &["NRAK-"], &[text("NRAK-"), UPPER.exactly(27)]).entropy(3500),
    token(
        "honeycomb-api-key",
        &["hcaik_", "hcxik_", "hcamk_", "hcbik_"],
        &[
            text("hc"),
            Part::OneOf(&[&[text("aik")], &[text("xik")], &[text("amk")], &[text("bik")]]),
            text("_"),
            LOWER.between(58, 64),
        ],
    )
    .entropy(3500),
    inside(
        "presigned-url-signature",
        &["X-Amz-Signature="],
        &[text("X-Amz-Signature="), LOWER_HEX.exactly(64)],
    )
    .entropy(3000),
    inside(
        "wireguard-private-key",
        &["PrivateKey = "],
        &[text("PrivateKey = "), BASE64.exactly(43), text("=")],
    )
    .entropy(3500),
];
