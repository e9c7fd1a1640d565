//! What to use instead of names that other languages and other Schemes have. A hint is a part of a message and nothing
//! else: none of these names is bound.

#[cfg(test)]
mod tests;

/// Names that are not here, and what does their work; sorted.
const HINTS: &[(&str, &str)] = &[
    ("1+", "`(+ x 1)`"),
    ("add1", "`(+ x 1)`"),
    ("assoc-ref", "`(cdr (assoc key list))`"),
    ("call-with-current-continuation", "`guard` and `raise`"),
    ("call/cc", "`guard` and `raise`"),
    ("call/ec", "`guard` and `raise`"),
    ("case-lambda", "rest arguments: `(define (f a . more) …)`"),
    ("define-macro", "a procedure; there are no macros"),
    ("define-syntax", "a procedure; there are no macros"),
    ("defun", "`define`"),
    ("delay", "a procedure without arguments"),
    ("exact->inexact", "the number itself: numbers are exact decimals"),
    ("false", "`#f`"),
    ("flatten", "`append-map`"),
    ("foldl", "`fold`"),
    ("foldr", "`fold-right`"),
    ("get", "`json-ref` or `hash-table-ref`"),
    ("hash", "`hash-table`"),
    ("hash-has-key?", "`hash-table-contains?`"),
    ("hash-keys", "`hash-table-keys`"),
    ("hash-map", "`hash-table`, or `hash-table-walk` to visit its entries"),
    ("hash-ref", "`hash-table-ref`"),
    ("hash-set!", "`hash-table-set!`"),
    ("hash-table-exists?", "`hash-table-contains?`"),
    ("hash-table-fold", "`fold` over `hash-table->alist`"),
    ("hash-table-size", "`hash-table-count`"),
    ("hash-table/get", "`hash-table-ref`"),
    ("hash-table/put!", "`hash-table-set!`"),
    ("hash-values", "`hash-table-values`"),
    ("import", "nothing: the whole library is bound"),
    ("inexact", "the number itself: numbers are exact decimals"),
    ("let-syntax", "a procedure; there are no macros"),
    ("list-sort", "`sort`"),
    ("make-hash", "`make-hash-table`"),
    ("make-parameter", "an argument"),
    ("nil", "`'()`"),
    ("null", "`'()`, or `'null` for JSON"),
    ("parameterize", "an argument"),
    ("print", "`display`"),
    ("printf", "`(format #t template value …)`"),
    ("range", "`iota`"),
    ("require", "nothing: the whole library is bound"),
    ("set-car!", "a new pair: pairs do not change"),
    ("set-cdr!", "a new pair: pairs do not change"),
    ("string-concat", "`string-append`"),
    ("string-search-forward", "`string-contains`"),
    ("sub1", "`(- x 1)`"),
    ("syntax-rules", "a procedure; there are no macros"),
    ("true", "`#t`"),
];

/// Forms of other Schemes whose operands would only mislead.
const FORMS: &[&str] =
    &["case-lambda", "define-macro", "define-syntax", "import", "let-syntax", "parameterize", "syntax-rules"];

/// What to use instead of a name.
pub(crate) fn instead_of(name: &str) -> Option<&'static str> {
    let place = HINTS.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    HINTS.get(place).map(|(_, hint)| *hint)
}

/// Whether a list that begins with this name is a form that this language lacks.
pub(crate) fn is_absent_form(name: &str) -> bool {
    FORMS.contains(&name)
}
