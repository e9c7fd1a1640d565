//! The library, each procedure by an example or two.

use crate::run::{error, holds, output};

#[test]
fn lists() {
    holds(&[
        (
            "(list (car '(1 2)) (cdr '(1 2)) (cadr '(1 2)) (cddr '(1 2 3)) (caar '((1))) (cdar '((1 2))) (caddr '(1 2 3)) (cdddr '(1 2 3)) (cadddr '(1 2 3 4)))",
            "(1 (2) 2 (3) 1 (2) 3 () 4)",
        ),
        ("(list (first '(1 2 3)) (second '(1 2 3)) (third '(1 2 3)) (last '(1 2 3)))", "(1 2 3 3)"),
        ("(append '(1) '(2 3) '() '(4 . 5))", "(1 2 3 4 . 5)"),
        (
            "(list (append) (append '(1)) (reverse '(1 2 3)) (length '(1 2)) (list-copy '(1 2)))",
            "(() (1) (3 2 1) 2 (1 2))",
        ),
        (
            "(list (list-ref '(a b c) 1) (list-tail '(a b c) 2) (take '(1 2 3) 2) (drop '(1 2 3) 2) (list-head '(1 2) 1))",
            "(b (c) (1 2) (3) (1))",
        ),
        (
            "(list (memq 'b '(a b c)) (memv 2 '(1 2)) (member \"b\" '(\"a\" \"b\")) (memq 'x '(a)))",
            "((b c) (2) (\"b\") #f)",
        ),
        (
            "(list (assq 'b '((a 1) (b 2))) (assv 2 '((1 . a) (2 . b))) (assoc \"k\" '((\"k\" . v))) (assq 'x '()))",
            "((b 2) (2 . b) (\"k\" . v) #f)",
        ),
        (
            "(list (iota 3) (iota 3 1) (iota 3 0 5) (make-list 2 'x) (cons* 1 2 '(3)))",
            "((0 1 2) (1 2 3) (0 5 10) (x x) (1 2 3))",
        ),
        (
            "(list (delete 2 '(1 2 3 2)) (delete-duplicates '(1 2 1 \"a\" \"a\")) (zip '(1 2) '(a b)))",
            "((1 3) (1 2 \"a\") ((1 a) (2 b)))",
        ),
        ("(list (null? '()) (pair? '()) (list? '(1 2)) (list? '(1 . 2)))", "(#t #f #t #f)"),
    ]);
}

#[test]
fn procedures_over_lists() {
    holds(&[
        ("(map + '(1 2) '(10 20 30))", "(11 22)"),
        ("(let ((sum 0)) (for-each (lambda (x) (set! sum (+ sum x))) '(1 2 3)) sum)", "6"),
        ("(let ((sum 0)) (for-each (lambda (x y) (set! sum (+ sum (* x y)))) '(1 2) '(3 4)) sum)", "11"),
        (
            "(list (filter even? (iota 6)) (remove even? (iota 6)) (filter-map (lambda (x) (and (even? x) (* x x))) (iota 5)))",
            "((0 2 4) (1 3 5) (0 4 16))",
        ),
        (
            "(list (reduce + 0 '(1 2 3)) (reduce + 0 '()) (fold cons '() '(1 2)) (fold + 0 '(1 2) '(10 20)))",
            "(6 0 (2 1) 33)",
        ),
        (
            "(list (fold-left list '() '(1 2)) (fold-right list '() '(1 2)) (fold-right cons '() '(1 2)) (fold-left + 0 '(1 2) '(3 4)))",
            "(((() 1) 2) (1 (2 ())) (1 2) 10)",
        ),
        ("(fold-right (lambda (a b rest) (cons (+ a b) rest)) '() '(1 2) '(10 20))", "(11 22)"),
        ("(append-map (lambda (x) (list x x)) '(1 2))", "(1 1 2 2)"),
        (
            "(list (find even? '(1 2 3)) (find even? '(1)) (find-tail even? '(1 2 3)) (list-index even? '(1 2)) (count even? '(1 2 4)))",
            "(2 #f (2 3) 1 2)",
        ),
        (
            "(list (any even? '(1 2)) (any even? '()) (every even? '(2 4)) (every even? '()) (every even? '(2 3)) (any < '(1 5) '(0 9)) (every < '(1 5) '(2 9)))",
            "(#t #f #t #t #f #t #t)",
        ),
        ("(list (take-while even? '(2 4 5 6)) (drop-while even? '(2 4 5 6)))", "((2 4) (5 6))"),
        ("(sort '(3 1 2) <)", "(1 2 3)"),
        ("(sort < '(3 1 2))", "(1 2 3)"),
        ("(sort (vector 3 1 2) >)", "#(3 2 1)"),
        ("(sort '((b . 1) (a . 1) (c . 0)) (lambda (x y) (< (cdr x) (cdr y))))", "((c . 0) (b . 1) (a . 1))"),
        ("(sort-by cdr '((b . 2) (a . 1)) <)", "((a . 1) (b . 2))"),
        ("(hash-table->alist (group-by even? '(1 2 3 4)))", "((#f 1 3) (#t 2 4))"),
        ("(list (apply + 1 2 '(3 4)) (apply max '(3 9 2)) (apply list '()))", "(10 9 ())"),
    ]);
}

#[test]
fn strings() {
    holds(&[
        ("(string-append \"a\" \"b\" \"\")", "\"ab\""),
        (
            "(list (substring \"grün\" 2 4) (substring \"abc\" 1) (string-ref \"äb\" 0) (string-length \"grün\"))",
            "(\"ün\" \"bc\" #\\ä 4)",
        ),
        (
            "(list (string-split \"a,b,,c\" \",\") (string-split \" a  b \") (string-split \"a-b\" #\\-))",
            "((\"a\" \"b\" \"\" \"c\") (\"a\" \"b\") (\"a\" \"b\"))",
        ),
        (
            "(list (string-join '(\"a\" \"b\") \", \") (string-join '(\"a\" \"b\")) (string-join '() \",\"))",
            "(\"a, b\" \"a b\" \"\")",
        ),
        (
            "(list (string-contains \"hello\" \"ll\") (string-contains \"x\" \"y\") (string-contains? \"abc\" \"b\") (string-index \"abc\" #\\c))",
            "(2 #f #t 2)",
        ),
        (
            "(list (string-prefix? \"ab\" \"abc\") (string-suffix? \"bc\" \"abc\") (string-prefix? \"b\" \"abc\"))",
            "(#t #t #f)",
        ),
        (
            "(list (string-upcase \"aß\") (string-downcase \"AB\") (string-trim \" a \") (string-trim-left \" a \") (string-trim-right \" a \"))",
            "(\"ASS\" \"ab\" \"a\" \"a \" \" a\")",
        ),
        (
            "(list (string->number \"12\") (string->number \"1.50\") (string->number \"x\") (number->string 255 16) (number->string 1.5))",
            "(12 1.5 #f \"ff\" \"1.5\")",
        ),
        (
            "(list (string<? \"a\" \"b\" \"c\") (string=? \"a\" \"a\") (string>? \"a\" \"b\") (string-null? \"\"))",
            "(#t #t #f #t)",
        ),
        (
            "(list (string-replace \"a.b.c\" \".\" \"--\") (string-repeat \"ab\" 3) (string-reverse \"abc\") (make-string 2 #\\x))",
            "(\"a--b--c\" \"ababab\" \"cba\" \"xx\")",
        ),
        (
            "(list (string-pad-left \"7\" 3) (string-pad-left \"12345\" 3) (string-pad-right \"ab\" 4 #\\.) (string-lines \"a\\nb\\n\"))",
            "(\"  7\" \"345\" \"ab..\" (\"a\" \"b\"))",
        ),
        (
            "(list (string->list \"ab\") (list->string '(#\\a #\\b)) (string 1 'a \"b\" #\\c) (string-copy \"abc\" 1 2))",
            "((#\\a #\\b) \"ab\" \"1abc\" \"b\")",
        ),
        ("(format \"~a ~s ~d ~~ ~%\" \"x\" \"y\" 3)", "\"x \\\"y\\\" 3 ~ \\n\""),
        ("(format #f \"~a\" '(1 \"b\"))", "\"(1 b)\""),
    ]);
    assert_eq!(
        error("(substring \"abc\" 2 9)").message,
        "`substring`: 2 to 9 is not within the 3 characters of the string"
    );
}

#[test]
fn symbols_characters_and_kinds() {
    holds(&[
        (
            "(list (symbol->string 'a) (string->symbol \"b c\") (symbol<? 'a 'b) (symbol? 'a) (symbol? \"a\"))",
            "(\"a\" |b c| #t #t #f)",
        ),
        (
            "(list (char->integer #\\A) (integer->char 97) (char-upcase #\\a) (char-alphabetic? #\\1) (char-numeric? #\\1) (char-whitespace? #\\space))",
            "(65 #\\a #\\A #f #t #t)",
        ),
        (
            "(list (char=? #\\a #\\a) (char<? #\\a #\\b) (char-downcase #\\A) (char-upper-case? #\\A) (char-lower-case? #\\A))",
            "(#t #t #\\a #t #f)",
        ),
        (
            "(list (boolean? #f) (number? 1.5) (integer? 1.5) (integer? 2.0) (string? \"\") (char? #\\a) (procedure? car) (procedure? (lambda () 1)) (vector? #(1)) (hash-table? 1))",
            "(#t #t #f #t #t #t #t #t #t #f)",
        ),
        (
            "(list (eq? 'a 'a) (eq? '() '()) (eqv? 1.5 1.5) (eq? \"a\" \"a\") (equal? \"a\" \"a\") (equal? '(1 #(2 \"x\")) '(1 #(2 \"x\"))) (equal? 1 1.0))",
            "(#t #t #t #f #t #t #t)",
        ),
        (
            "(list (not 3) (exact (floor 2.5)) (exact-integer? 2) (string-map char-upcase \"ab\"))",
            "(#f 2 #t \"AB\")",
        ),
    ]);
}

#[test]
fn vectors() {
    holds(&[
        (
            "(define v (vector 1 2 3)) (vector-set! v 0 'x) (list v (vector-length v) (vector-ref v 2))",
            "(#(x 2 3) 3 3)",
        ),
        (
            "(list (vector->list #(1 2)) (list->vector '(1 2)) (vector-append #(1) #(2 3)) (subvector #(1 2 3) 1 3))",
            "((1 2) #(1 2) #(1 2 3) #(2 3))",
        ),
        ("(vector-map (lambda (x) (* x x)) #(1 2 3))", "#(1 4 9)"),
        ("(let ((v (make-vector 2 0))) (vector-fill! v 7) (vector-for-each display v) v)", "#(7 7)"),
    ]);
    assert_eq!(error("(vector-ref #(1 2) 2)").message, "`vector-ref`: 2 is not below the length 2");
    assert_eq!(error("(vector-ref #(1 2) -1)").kind.code(), "range");
}

#[test]
fn hash_tables_change_in_place_and_keep_their_keys_sorted() {
    holds(&[
        (
            "(define t (make-hash-table)) (hash-table-set! t \"b\" 2) (hash-table-set! t \"a\" 1) (hash-table-set! t 'z 0) (hash-table-set! t 10 'n) (hash-table-set! t 9 'm) (list (hash-table-keys t) (hash-table-values t) (hash-table->alist t))",
            "((9 10 z \"a\" \"b\") (m n 0 1 2) ((9 . m) (10 . n) (z . 0) (\"a\" . 1) (\"b\" . 2)))",
        ),
        (
            "(define t (hash-table \"a\" 1)) (define u (hash-table-copy t)) (hash-table-set! u \"a\" 2) (list (hash-table-ref t \"a\") (hash-table-ref u \"a\") (hash-table-ref t \"x\" 'none) (hash-table-ref/default t \"x\" 0) (hash-table-contains? t \"a\") (hash-table-count t))",
            "(1 2 none 0 #t 1)",
        ),
        (
            "(define t (hash-table 'a 1)) (list (hash-table-ref t 'a (lambda () 9)) (hash-table-ref t 'b (lambda () 9)) (hash-table-ref t 'b make-hash-table))",
            "(1 9 #hash())",
        ),
        (
            "(define t (alist->hash-table '((a . 1) (b . 2) (a . 3)))) (hash-table-delete! t 'b) (hash-table->alist t)",
            "((a . 1))",
        ),
        (
            "(define t (make-hash-table)) (hash-table-update! t 'n (lambda (x) (+ x 1)) (lambda () 10)) (hash-table-update!/default t 'n (lambda (x) (+ x 1)) 0) (hash-table-update! t 'n (lambda (x) (* x 2))) (hash-table-ref t 'n)",
            "24",
        ),
        (
            "(let ((sum 0)) (hash-table-walk (hash-table 'a 1 'b 2) (lambda (k v) (set! sum (+ sum v)))) sum)",
            "3",
        ),
        ("(hash-table \"k\" '(1 2) 'b #t)", "#hash((b . #t) (\"k\" . (1 2)))"),
        ("(equal? (hash-table 'a 1 'b \"x\") (hash-table 'b \"x\" 'a 1))", "#t"),
        ("(hash-table-ref (hash-table 1.0 'one) 1)", "one"),
    ]);
    assert_eq!(
        error("(hash-table-ref (make-hash-table) \"x\")").message,
        "`hash-table-ref`: no entry for `\"x\"`"
    );
    assert_eq!(error("(hash-table-set! (make-hash-table) '(1) 2)").kind.code(), "type");
}

#[test]
fn output_goes_to_the_embedder() {
    assert_eq!(
        output(
            "(display \"a\\\"b\") (write \"a\\\"b\") (newline) (display '(1 #\\a \"s\")) (write '(#\\a \"s\" sym))"
        ),
        "a\"b\"a\\\"b\"\n(1 a s)(#\\a \"s\" sym)"
    );
    assert_eq!(output("(displayln 1.5) (format #t \"~a!\" 'x)"), "1.5\nx!");
}

#[test]
fn json_text_and_values() {
    holds(&[
        (
            "(json->string (hash-table \"b\" (list 1 2.5 'null) \"a\" #t 'c \"x\"))",
            "\"{\\\"a\\\":true,\\\"b\\\":[1,2.5,null],\\\"c\\\":\\\"x\\\"}\"",
        ),
        (
            "(string->json \"{\\\"a\\\": [1, -2.50, 1e2, \\\"\\\\u00fc\\\\n\\\", null, true, {}]}\")",
            "#hash((\"a\" . (1 -2.5 100 \"ü\\n\" null #t #hash())))",
        ),
        ("(json-ref (string->json \"{\\\"a\\\": [{\\\"b\\\": 7}]}\") \"a\" 0 'b)", "7"),
        ("(json-ref (string->json \"{\\\"a\\\": 1}\") \"x\" 0)", "#f"),
        ("(map json-null? (string->json \"[null, 1]\"))", "(#t #f)"),
        ("(json->string '())", "\"[]\""),
        ("(json->string #(1 \"a\" sym))", "\"[1,\\\"a\\\",\\\"sym\\\"]\""),
        ("(string->json \"\\\"\\\\ud83d\\\\ude00\\\"\")", "\"😀\""),
        ("(string->json \"0.1234567890123456789\")", "0.123456789012345679"),
    ]);
    for wrong in [
        "{\\\"a\\\":1,\\\"a\\\":2}",
        "[1,]",
        "01",
        "1.",
        "\\\"\\\\ud800\\\"",
        "nul",
        "",
        "[1] 2",
        "{\\\"a\\\" 1}",
        "1e999",
        "-",
    ] {
        let program = format!("(string->json \"{wrong}\")");
        assert_eq!(error(&program).kind.code(), "range", "{program}");
    }
    assert_eq!(error("(json->string car)").kind.code(), "type");
    assert_eq!(error("(json->string '(1 . 2))").kind.code(), "type");
    assert_eq!(error("(json->string 9007199254740993)").kind.code(), "range");
    assert_eq!(
        error("(string->json (string-append (make-string 300 #\\[) (make-string 300 #\\])))").kind.code(),
        "range"
    );
    assert_eq!(
        error("(let loop ((i 0) (v 1)) (if (< i 300) (loop (+ i 1) (list v)) (json->string v)))").kind.code(),
        "range"
    );
}
