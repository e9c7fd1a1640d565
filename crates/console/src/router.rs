//! The router: every row of the API at its address, the page everywhere else.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodFilter, on};
use futures_util::FutureExt as _;

use crate::asked::Asked;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::route::{Answerer, Route, Verb};
use crate::routes;
use crate::state::AppState;
use crate::{call, front, page};

/// What belongs to the API, also where nothing is.
const OURS: [&str; 4] = ["/api", "/healthz", "/metrics", "/openapi.json"];

/// The route that a request came to, for whoever counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Matched(pub(crate) &'static Route);

/// The router.
pub(crate) fn router(state: AppState) -> Router {
    let mut router = Router::new();
    for route in routes::all() {
        router = router.route(route.path, served(route));
    }
    router
        .method_not_allowed_fallback(|| async {
            Failure::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "method_not_allowed",
                "this address has no such method",
            )
            .hinting("/openapi.json says which it has")
        })
        .fallback(elsewhere)
        .layer(from_fn_with_state(state.clone(), front::guarded))
        .with_state(state)
}

const fn filter(verb: Verb) -> MethodFilter {
    match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Put => MethodFilter::PUT,
        Verb::Patch => MethodFilter::PATCH,
        Verb::Delete => MethodFilter::DELETE,
    }
}

/// Whether an address belongs to the API.
pub(crate) fn is_api(path: &str) -> bool {
    OURS.iter()
        .any(|ours| path.strip_prefix(ours).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Whether it is answered without the token: the page, and rows that say so.
pub(crate) fn is_public(path: &str) -> bool {
    !is_api(path) || routes::all().any(|route| route.is_public && route.path == path)
}

/// The page, and nothing else: an address of the API that does not exist is not a place of the page.
async fn elsewhere(request: Request) -> Response {
    let path = request.uri().path();
    if is_api(path) {
        return Failure::not_found("there is no such address")
            .hinting("/openapi.json has them all")
            .into_response();
    }
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        let what = "the page is only read";
        return Failure::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", what).into_response();
    }
    page::answer(if path == "/" { "/index.html" } else { path }, request.headers())
}

/// What an address names, where it is text.
type Named = Result<RawPathParams, RawPathParamsRejection>;

/// What answers at one address.
fn served(route: &'static Route) -> axum::routing::MethodRouter<AppState> {
    let plan = Arc::new(Plan::new(route));
    on(filter(route.verb), move |State(state): State<AppState>, address: Named, request: Request| {
        let plan = Arc::clone(&plan);
        // A name that is no UTF-8 text names nothing that is here.
        let address: Option<Vec<(String, String)>> = address
            .ok()
            .map(|address| address.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect());
        async move {
            let mut response = contain_panic(answered(state, plan, address, request)).await;
            response.extensions_mut().insert(Matched(route));
            response
        }
    })
}

/// The response to one request. A panic is a defect: it takes this response with it, and no other.
async fn contain_panic(answering: impl Future<Output = Result<Response, Failure>>) -> Response {
    match AssertUnwindSafe(answering).catch_unwind().await {
        Ok(Ok(response)) => response,
        Ok(Err(failure)) => failure.into_response(),
        Err(_) => Failure::broken().into_response(),
    }
}

async fn answered(
    state: AppState,
    plan: Arc<Plan>,
    address: Option<Vec<(String, String)>>,
    request: Request,
) -> Result<Response, Failure> {
    let route = plan.route;
    if !route.is_public {
        state.rates().take(route.rate, tokio::time::Instant::now()).map_err(Failure::too_often)?;
    }
    let address = address.ok_or_else(|| Failure::not_found("there is nothing of that name"))?;
    let asked = Asked::read(plan, address, request, &state.options().limits).await?;
    match route.answerer {
        Answerer::Own(answer) => answer(state, asked).await,
        Answerer::Payload | Answerer::Findings => call::answered(state, asked).await,
    }
}

#[cfg(test)]
mod tests;
