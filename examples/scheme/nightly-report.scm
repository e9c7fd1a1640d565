;; The report of a night, as Markdown: how the issues stand, what a person should look at, what failed. It changes nothing.
;;
;;   premath observe-build
;;   premath scheme-eval --read-only --program examples/scheme/nightly-report.scm > report.md

(define issues (issue-list))
(define by-status (group-by issue-status issues))
(define attention (observe-needs-attention))
(define failed (harness-trajectory-query (hash-table "mode" "failed" "limit" 10)))
(define figure (harness-kpi-report))

(define (section title lines)
  (displayln (format "~%## ~a~%" title))
  (if (null? lines)
      (displayln "Nothing.")
      (for-each (lambda (line) (displayln (format "- ~a" line))) lines)))

(define (text value) (if (string? value) value (json->string value)))

(displayln "# Report")

(section "Issues"
  (map (lambda (entry) (format "~a: ~a" (car entry) (length (cdr entry))))
       (hash-table->alist by-status)))

(section "Needs a person"
  (map (lambda (item)
         (format "~a: ~a" (text (or (json-ref item "issueId") (json-ref item "subject") "repository"))
                          (text (or (json-ref item "reason") (json-ref item "detail") item))))
       attention))

(section "Held"
  (map (lambda (lease)
         (format "~a by ~a until ~a" (json-ref lease "issueId") (json-ref lease "owner") (json-ref lease "expiresAt")))
       (issue-lease-projection)))

(section "Blocked"
  (map (lambda (issue)
         (format "~a ~a: waits for ~a" (issue-id issue) (issue-title issue)
                 (string-join (map (lambda (blocker) (json-ref blocker "id")) (json-ref issue "blockers")) ", ")))
       (issue-blocked)))

(section "Failed steps"
  (map (lambda (step)
         (format "~a ~a: ~a" (json-ref step "stepId") (json-ref step "action")
                 (string-join (or (json-ref step "failureClasses") '()) ", ")))
       failed))

(section "Throughput"
  (list (format "~a: ~a" (json-ref figure "decision" "state") (json-ref figure "decision" "reason"))))
