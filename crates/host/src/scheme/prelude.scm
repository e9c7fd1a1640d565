;; Procedures over what host functions give. They call no host function, and take a row of a listing as well as the answer
;; to `issue-show` or to a change, which has the row in its member `issue`.

(define (issue-member issue name)
  (let ((row (json-ref issue "issue")))
    (json-ref (if (hash-table? row) row issue) name)))

(define (issue-id issue) (issue-member issue "id"))
(define (issue-title issue) (issue-member issue "title"))
(define (issue-description issue) (issue-member issue "description"))
(define (issue-status issue) (or (issue-member issue "status") "open"))
(define (issue-priority issue) (or (issue-member issue "priority") 2))
(define (issue-type issue) (or (issue-member issue "issueType") "task"))
(define (issue-assignee issue) (issue-member issue "assignee"))
(define (issue-labels issue) (or (issue-member issue "labels") '()))
(define (issue-lease issue) (issue-member issue "lease"))
(define (issue-dependencies issue)
  (map (lambda (one) (json-ref one "dependsOnId")) (or (issue-member issue "dependencies") '())))
(define (issue-has-label? issue label) (if (member label (issue-labels issue)) #t #f))
