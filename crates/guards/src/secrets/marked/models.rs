//! Keys of providers of models and of what is built around them. Data only.

use super::super::set::{ALNUM, DIGIT, LOWER, LOWER_HEX, UPPER, WORD_DASH};
use super::super::shape::{Part, text};
use super::{Marked, token};

pub(super) const KINDS: &[Marked] = &[
    token(
        "anthropic-admin-api-key",
        &["sk-ant-admin"],
        &[text("sk-ant-admin"), DIGIT.exactly(2), text("-"), WORD_DASH.between(32, 200)],
    )
    .entropy(3000),
    token(
        "anthropic-oauth-token",
        &["sk-ant-oat", "sk-ant-ort"],
        &[
            text("sk-ant-o"),
            Part::OneOf(&[&[text("a")], &[text("r")]]),
            text("t"),
            DIGIT.exactly(2),
            text("-"),
            WORD_DASH.between(32, 200),
        ],
    )
    .entropy(3000),
    token(
        "anthropic-session-key",
        &["sk-ant-sid"],
        &[text("sk-ant-sid"), DIGIT.exactly(2), text("-"), WORD_DASH.between(32, 200)],
    )
    .entropy(3000),
    token(
        "anthropic-api-key",
        &["sk-ant-api"],
        &[text("sk-ant-api"), DIGIT.exactly(2), text("-"), WORD_DASH.between(32, 200)],
    )
    .entropy(3000),
    token(
        "openai-api-key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        &[
            text("sk-"),
            Part::OneOf(&[&[text("proj")], &[text("svcacct")], &[text("admin")], &[text("None")]]),
            text("-"),
            WORD_DASH.between(40, 220),
        ],
    )
    .entropy(3000),
    token("openai-api-key", &["sk-"], &[text("sk-"), ALNUM.exactly(48)]).entropy(3800),
    token("openai-session-token", &["sess-"], &[text("sess-"), ALNUM.exactly(40)]).entropy(3800),
    token("openrouter-api-key", &["sk-or-v1-"], &[text("sk-or-v1-"), LOWER_HEX.exactly(64)]).entropy(3000),
    token(
        "langfuse-secret-key",
        &["sk-lf-"],
        &[
            text("sk-lf-"),
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
    token("helicone-api-key", &["sk-helicone-"], &[text("sk-helicone-"), WORD_DASH.between(20, 64)])
        .entropy(3000),
    token("openai-compatible-api-key", &["sk-"], &[text("sk-"), ALNUM.between(32, 47)]).entropy(3500),
    token("groq-api-key", &["gsk_"], &[text("gsk_"), ALNUM.exactly(52)]).entropy(3500),
    token("xai-api-key", &["xai-"], &[text("xai-"), ALNUM.between(70, 90)]).entropy(3500),
    token("cerebras-api-key", &["csk-"], &[text("csk-"), LOWER.exactly(48)]).entropy(3500),
    token("fireworks-api-key", &["fw_"], &[text("fw_"), ALNUM.between(22, 24)]).entropy(3500),
    token("together-api-key", &["tgp_v1_"], &[text("tgp_v1_"), WORD_DASH.between(40, 50)]).entropy(3500),
    token("nvidia-api-key", &["nvapi-"], &[text("nvapi-"), WORD_DASH.between(60, 72)]).entropy(3500),
    token("replicate-api-token", &["r8_"], &[text("r8_"), ALNUM.exactly(37)]).entropy(3500),
    token("huggingface-access-token", &["hf_"], &[text("hf_"), ALNUM.between(34, 37)]).entropy(3000),
    token("elevenlabs-api-key", &["sk_"], &[text("sk_"), LOWER_HEX.exactly(48)]).entropy(3000),
    token("voyage-api-key", &["pa-"], &[text("pa-"), WORD_DASH.exactly(43)]).entropy(4000),
    token(
        "pinecone-api-key",
        &["pcsk_"],
        &[text("pcsk_"), ALNUM.between(5, 6), text("_"), ALNUM.between(60, 70)],
    )
    .entropy(3500),
    token(
        "langsmith-api-key",
        &["lsv2_pt_", "lsv2_sk_"],
        &[
            text("lsv2_"),
            Part::OneOf(&[&[text("pt")], &[text("sk")]]),
            text("_"),
            LOWER_HEX.exactly(32),
            text("_"),
            LOWER_HEX.exactly(10),
        ],
    )
    .entropy(3000),
    token(
        "tavily-api-key",
        &["tvly-"],
        &[text("tvly-"), Part::OneOf(&[&[text("dev-")], &[text("prod-")], &[]]), ALNUM.exactly(32)],
    )
    .entropy(3500),
    token("jina-api-key", &["jina_"], &[text("jina_"), LOWER_HEX.exactly(32), WORD_DASH.between(28, 40)])
        .entropy(3500),
    token("firecrawl-api-key", &["fc-"], &[text("fc-"), LOWER_HEX.exactly(32)]).entropy(3000),
    token("apify-api-token", &["apify_api_"], &[text("apify_api_"), ALNUM.between(34, 40)]).entropy(3500),
    token("e2b-api-key", &["e2b_"], &[text("e2b_"), LOWER_HEX.exactly(40)]).entropy(3000),
    token("runpod-api-key", &["rpa_"], &[text("rpa_"), UPPER.exactly(40), LOWER.exactly(6)]).entropy(3500),
    token("modal-token-secret", &["as-"], &[text("as-"), ALNUM.exactly(22)]).entropy(3800),
    token("azure-ai-services-key", &["JQQJ99"], &[ALNUM.exactly(52), text("JQQJ99"), ALNUM.exactly(26)])
        .back(52)
        .entropy(3500),
    token("cursor-api-key", &["crsr_"], &[text("crsr_"), LOWER_HEX.exactly(64)]).entropy(3000),
    token("wandb-api-key", &["wandb_v1_"], &[text("wandb_v1_"), ALNUM.between(20, 80)]).entropy(3500),
    token(
        "baidu-cloud-key",
        &["bce-v3/ALTAK-"],
        &[text("bce-v3/ALTAK-"), ALNUM.exactly(21), text("/"), LOWER_HEX.exactly(40)],
    )
    .entropy(3500),
];
