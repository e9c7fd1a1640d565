;; Splits epics: every line `- title` in the description of an open epic becomes an issue below it, each behind the one
;; before. A part that is there already, as a child of the epic with that title, is left as it is: stopped in the middle it
;; goes on where it was, and run twice it changes nothing the second time.
;;
;;   premath instruction-run instructions/20261116T090000Z-split.json
;;   premath scheme-eval --instruction 20261116T090000Z-split --program examples/scheme/split-epic.scm

(define issues (issue-list))

(define (child-of? epic issue)
  (any (lambda (one)
         (and (equal? (json-ref one "type") "parent-child")
              (equal? (json-ref one "dependsOnId") (issue-id epic))))
       (or (json-ref issue "dependencies") '())))

;; The child of an epic with this title, or #f.
(define (child epic title)
  (find (lambda (issue) (and (equal? (issue-title issue) title) (child-of? epic issue))) issues))

(define (parts epic)
  (delete-duplicates
    (filter-map
      (lambda (line)
        (let ((line (string-trim line)))
          (and (string-prefix? "- " line) (string-trim (substring line 2 (string-length line))))))
      (string-lines (or (issue-description epic) "")))))

(define (to-split? issue)
  (and (equal? (issue-type issue) "epic")
       (equal? (issue-status issue) "open")
       (any (lambda (title) (not (child issue title))) (parts issue))))

;; One issue behind the other: `previous` is the one that has to be done before.
(define (add-part epic title previous)
  (issue-id
    (issue-add title
      (hash-table
        "parent" (issue-id epic)
        "priority" (issue-priority epic)
        "labels" (issue-labels epic)
        "dependsOn" (if previous (list (hash-table "id" previous "type" "blocks")) '())))))

(define (split epic)
  (let loop ((titles (parts epic)) (previous #f) (made '()))
    (cond
      ((null? titles) (cons (issue-id epic) (reverse made)))
      ((child epic (car titles)) => (lambda (issue) (loop (cdr titles) (issue-id issue) made)))
      (else
        (let ((id (add-part epic (car titles) previous)))
          (displayln (format "~a  ~a" id (car titles)))
          (loop (cdr titles) id (cons id made)))))))

(map split (filter to-split? issues))
