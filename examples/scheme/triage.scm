;; Triage: what can be worked on, what to take first and why, and what looks wrong. It changes nothing.
;;
;;   premath scheme-eval --read-only --program examples/scheme/triage.scm

(define ready (issue-ready))
(define blocked (issue-blocked))

;; How many issues wait for each blocker, directly.
(define waiting
  (let ((counts (make-hash-table)))
    (for-each
      (lambda (issue)
        (for-each
          (lambda (blocker)
            (hash-table-update!/default counts (json-ref blocker "id") (lambda (n) (+ n 1)) 0))
          (json-ref issue "blockers")))
      blocked)
    counts))

(define (frees issue) (hash-table-ref waiting (issue-id issue) 0))

;; Urgent ones first, then those that free the most others, then the oldest number.
(define (before? a b)
  (cond ((< (issue-priority a) (issue-priority b)) #t)
        ((> (issue-priority a) (issue-priority b)) #f)
        (else (> (frees a) (frees b)))))

(define work (sort (remove (lambda (issue) (equal? (issue-type issue) "epic")) ready) before?))

(define (complaints issue)
  (append
    (if (issue-member issue "acceptanceCriteria") '() '("has no acceptance criteria"))
    (if (string-contains (or (issue-description issue) "") "Verification:") '() '("says no verification"))
    (if (null? (issue-labels issue)) '("has no label") '())))

(define (line issue)
  (format "P~a ~a ~a~a"
    (issue-priority issue)
    (string-pad-right (issue-id issue) 8)
    (issue-title issue)
    (if (> (frees issue) 0) (format " (frees ~a)" (frees issue)) "")))

(for-each (lambda (issue) (displayln (line issue))) work)
(for-each
  (lambda (issue)
    (let ((wrong (complaints issue)))
      (unless (null? wrong)
        (displayln (format "? ~a ~a" (issue-id issue) (string-join wrong ", "))))))
  work)

(hash-table
  "take" (map issue-id (take work (min 3 (length work))))
  "ready" (length work)
  "blocked" (length blocked))
