//! More secrets that are known by the name of what they are assigned to. Data only.

use super::super::set::{ALNUM, BASE64, DIGIT, HEX, TILDE_DASH, WORD, WORD_DASH};
use super::super::shape::{Part, text};
use super::{Named, named};

pub(super) const KINDS: &[Named] = &[
    named(
        "asana-personal-access-token",
        &["asana"],
        &[
            Part::OneOf(&[&[text("1")], &[text("2")]]),
            text("/"),
            DIGIT.between(13, 20),
            text(":"),
            HEX.exactly(32),
        ],
    )
    .entropy(3000),
    named("assemblyai-api-key", &["assemblyai"], &[HEX.exactly(32)]).entropy(3000),
    named(
        "aws-secret-access-key",
        &["aws_secret", "secret_access_key", "secretaccesskey", "aws-secret"],
        &[BASE64.exactly(40)],
    )
    .entropy(3500),
    named(
        "azure-client-secret",
        &["azure_client_secret", "azure-client-secret"],
        &[TILDE_DASH.between(34, 44)],
    )
    .entropy(3500),
    named("binance-secret-key", &["binance"], &[ALNUM.exactly(64)]).entropy(3500),
    named("deepgram-api-key", &["deepgram"], &[HEX.exactly(40)]).entropy(3000),
    named("etherscan-api-key", &["etherscan"], &[ALNUM.exactly(34)]).entropy(3000),
    named("gitea-access-token", &["gitea", "forgejo", "codeberg"], &[HEX.exactly(40)]).entropy(3000),
    named("hetzner-api-token", &["hetzner", "hcloud"], &[ALNUM.exactly(64)]).entropy(3500),
    named("infura-api-secret", &["infura"], &[HEX.exactly(32)]).entropy(3000),
    named("linode-api-token", &["linode"], &[HEX.exactly(64)]).entropy(3000),
    named("mistral-api-key", &["mistral"], &[ALNUM.exactly(32)]).entropy(3500),
    named("ngrok-authtoken", &["ngrok"], &[WORD.between(43, 49)]).entropy(3500),
    named("openweather-api-key", &["openweather", "owm_api"], &[HEX.exactly(32)]).entropy(3000),
    named("pagerduty-api-key", &["pagerduty", "pager_duty"], &[WORD_DASH.exactly(20)]).entropy(3000),
    named("pipedrive-api-token", &["pipedrive"], &[HEX.exactly(40)]).entropy(3000),
    named(
        "postmark-server-token",
        &["postmark"],
        &[
            HEX.exactly(8),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(12),
        ],
    )
    .entropy(3000),
    named(
        "railway-token",
        &["railway_token", "railway_api"],
        &[
            HEX.exactly(8),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(12),
        ],
    )
    .entropy(3000),
    named(
        "scaleway-secret-key",
        &["scaleway", "scw_secret"],
        &[
            HEX.exactly(8),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(4),
            text("-"),
            HEX.exactly(12),
        ],
    )
    .entropy(3000),
    named("spotify-client-secret", &["spotify"], &[HEX.exactly(32)]).entropy(3000),
    named("together-api-key", &["together_api", "togetherai"], &[HEX.exactly(64)]).entropy(3000),
    named("twilio-auth-token", &["twilio"], &[HEX.exactly(32)]).entropy(3000),
    named("vercel-token", &["vercel"], &[ALNUM.exactly(24)]).entropy(3500),
    named("vultr-api-key", &["vultr"], &[ALNUM.exactly(36)]).entropy(3500),
    named("wandb-api-key", &["wandb"], &[HEX.exactly(40)]).entropy(3000),
];
