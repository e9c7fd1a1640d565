;; Splits epics: every line `- title` in the description of an open epic that has no children yet becomes an issue below it,
;; each behind the one before. Run twice it changes nothing the second time.
;;
;;   premath instruction-run instructions/20261116T090000Z-split.json
;;   premath scheme-eval --instruction 20261116T090000Z-split --program examples/scheme/split-epic.scm

(define issues (issue-list))

(define (child-of? epic)
  (lambda (issue) (member (issue-id epic) (issue-dependencies issue))))

(define (to-split? issue)
  (and (equal? (issue-type issue) "epic")
       (equal? (issue-status issue) "open")
       (not (any (child-of? issue) issues))))

(define (parts epic)
  (filter-map
    (lambda (line)
      (let ((line (string-trim line)))
        (and (string-prefix? "- " line) (string-trim (substring line 2 (string-length line))))))
    (string-lines (or (issue-description epic) ""))))

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
    (if (null? titles)
        (cons (issue-id epic) (reverse made))
        (let ((id (add-part epic (car titles) previous)))
          (displayln (format "~a  ~a" id (car titles)))
          (loop (cdr titles) id (cons id made))))))

(map split (filter (lambda (epic) (pair? (parts epic))) (filter to-split? issues)))
