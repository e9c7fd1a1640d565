; The part of the library that calls procedures of the program. Written in the language itself, so that such calls use the
; machine's stack and budgets like any other. Names that begin with % are not for programs.

(define (map f first . others)
  (if (null? others)
      (let loop ((rest first) (done '()))
        (if (pair? rest)
            (loop (cdr rest) (cons (f (car rest)) done))
            (%end rest (reverse done))))
      (let loop ((lists (cons first others)) (done '()))
        (if (%any-end? lists)
            (reverse done)
            (loop (%all-cdr lists) (cons (apply f (%all-car lists)) done))))))

(define (for-each f first . others)
  (if (null? others)
      (let loop ((rest first))
        (when (pair? rest)
          (f (car rest))
          (loop (cdr rest))))
      (let loop ((lists (cons first others)))
        (unless (%any-end? lists)
          (apply f (%all-car lists))
          (loop (%all-cdr lists))))))

(define (%end rest value)
  (if (null? rest) value (error "this needs a list, not something that ends in" rest)))

(define (%any-end? lists)
  (and (pair? lists) (or (not (pair? (car lists))) (%any-end? (cdr lists)))))
(define (%all-car lists)
  (if (null? lists) '() (cons (car (car lists)) (%all-car (cdr lists)))))
(define (%all-cdr lists)
  (if (null? lists) '() (cons (cdr (car lists)) (%all-cdr (cdr lists)))))

(define (append-map f . lists) (apply append (apply map f lists)))

(define (filter-map f list)
  (let loop ((rest list) (done '()))
    (if (pair? rest)
        (let ((value (f (car rest))))
          (loop (cdr rest) (if value (cons value done) done)))
        (%end rest (reverse done)))))

(define (filter keep? list)
  (let loop ((rest list) (done '()))
    (if (pair? rest)
        (loop (cdr rest) (if (keep? (car rest)) (cons (car rest) done) done))
        (%end rest (reverse done)))))

(define (remove drop? list)
  (let loop ((rest list) (done '()))
    (if (pair? rest)
        (loop (cdr rest) (if (drop? (car rest)) done (cons (car rest) done)))
        (%end rest (reverse done)))))

(define (partition keep? list)
  (let loop ((rest list) (in '()) (out '()))
    (cond ((null? rest) (values (reverse in) (reverse out)))
          ((keep? (car rest)) (loop (cdr rest) (cons (car rest) in) out))
          (else (loop (cdr rest) in (cons (car rest) out))))))

(define (fold f start first . others)
  (if (null? others)
      (let loop ((value start) (rest first))
        (if (pair? rest) (loop (f (car rest) value) (cdr rest)) (%end rest value)))
      (let loop ((value start) (lists (cons first others)))
        (if (%any-end? lists)
            value
            (loop (apply f (append (%all-car lists) (list value))) (%all-cdr lists))))))

(define (fold-left f start first . others)
  (if (null? others)
      (let loop ((value start) (rest first))
        (if (pair? rest) (loop (f value (car rest)) (cdr rest)) (%end rest value)))
      (let loop ((value start) (lists (cons first others)))
        (if (%any-end? lists)
            value
            (loop (apply f value (%all-car lists)) (%all-cdr lists))))))

(define (fold-right f start first . others)
  (if (null? others)
      (fold f start (reverse first))
      (let loop ((value start) (rows (reverse (apply map list first others))))
        (if (null? rows)
            value
            (loop (apply f (append (car rows) (list value))) (cdr rows))))))

(define (reduce f start list)
  (if (null? list) start (fold f (car list) (cdr list))))

(define (find good? list)
  (let loop ((rest list))
    (cond ((null? rest) #f)
          ((good? (car rest)) (car rest))
          (else (loop (cdr rest))))))

(define (find-tail good? list)
  (let loop ((rest list))
    (cond ((null? rest) #f)
          ((good? (car rest)) rest)
          (else (loop (cdr rest))))))

(define (list-index good? list)
  (let loop ((rest list) (place 0))
    (cond ((null? rest) #f)
          ((good? (car rest)) place)
          (else (loop (cdr rest) (+ place 1))))))

(define (count good? list)
  (let loop ((rest list) (sum 0))
    (if (null? rest) sum (loop (cdr rest) (if (good? (car rest)) (+ sum 1) sum)))))

(define (any good? first . others)
  (if (null? others)
      (let loop ((rest first))
        (and (pair? rest) (or (good? (car rest)) (loop (cdr rest)))))
      (let loop ((lists (cons first others)))
        (and (not (%any-end? lists))
             (or (apply good? (%all-car lists)) (loop (%all-cdr lists)))))))

(define (every good? first . others)
  (if (null? others)
      (let loop ((rest first) (last #t))
        (if (pair? rest)
            (let ((value (good? (car rest))))
              (and value (loop (cdr rest) value)))
            last))
      (let loop ((lists (cons first others)) (last #t))
        (if (%any-end? lists)
            last
            (let ((value (apply good? (%all-car lists))))
              (and value (loop (%all-cdr lists) value)))))))

(define (take-while good? list)
  (let loop ((rest list) (done '()))
    (if (and (pair? rest) (good? (car rest)))
        (loop (cdr rest) (cons (car rest) done))
        (reverse done))))

(define (drop-while good? list)
  (let loop ((rest list))
    (if (and (pair? rest) (good? (car rest))) (loop (cdr rest)) rest)))

(define (%merge left right less?)
  (let loop ((left left) (right right) (done '()))
    (cond ((null? left) (append (reverse done) right))
          ((null? right) (append (reverse done) left))
          ((less? (car right) (car left)) (loop left (cdr right) (cons (car right) done)))
          (else (loop (cdr left) right (cons (car left) done))))))

; Both orders of arguments are in use, so both are taken.
(define (sort items less?)
  (cond ((procedure? items) (sort less? items))
        ((vector? items) (list->vector (sort (vector->list items) less?)))
        (else
         (let loop ((items items) (length (length items)))
           (if (< length 2)
               items
               (let ((half (quotient length 2)))
                 (%merge (loop (take items half) half)
                         (loop (drop items half) (- length half))
                         less?)))))))

(define (sort-by key items less?)
  (map cdr (sort (map (lambda (item) (cons (key item) item)) items)
                 (lambda (left right) (less? (car left) (car right))))))

(define (group-by key items)
  (let ((groups (make-hash-table)))
    (for-each (lambda (item)
                (let ((name (key item)))
                  (hash-table-set! groups name (cons item (hash-table-ref groups name '())))))
              items)
    (for-each (lambda (name) (hash-table-set! groups name (reverse (hash-table-ref groups name))))
              (hash-table-keys groups))
    groups))

(define (vector-map f . vectors) (list->vector (apply map f (map vector->list vectors))))
(define (vector-for-each f . vectors) (apply for-each f (map vector->list vectors)))
(define (string-for-each f text) (for-each f (string->list text)))
(define (string-map f text) (list->string (map f (string->list text))))

(define (hash-table-update! table key change . default)
  (hash-table-set! table key
                   (change (if (null? default)
                               (hash-table-ref table key)
                               (hash-table-ref table key (car default))))))
(define (hash-table-update!/default table key change default)
  (hash-table-set! table key (change (hash-table-ref table key default))))
(define (hash-table-walk table f)
  (for-each (lambda (entry) (f (car entry) (cdr entry))) (hash-table->alist table)))

(define (call-with-values producer consumer) (apply consumer (%values->list (producer))))

(define (with-exception-handler handler thunk)
  (%push-handler handler)
  (let ((value (thunk)))
    (%pop-handler)
    value))

; What the machine calls when something is raised below a handler.
(define (%handle handler condition continuable?)
  (let ((value (handler condition)))
    (if continuable?
        (begin (%restore-handler) value)
        (%handler-returned))))
