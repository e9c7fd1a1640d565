//! Programs that a model is shown as usage examples: only such as call functions that the run has.
//!
//! A test runs each of them against real tools. The first cites the sheet that tells the language, so that the digest of the
//! examples, which every call spec binds, changes with it.

use premath_kernel::Digest;

use super::bindings::Bindings;

/// The most examples.
const MOST: usize = 4;

/// A program, and the tools that it calls.
struct Example {
    calls: &'static [&'static str],
    program: &'static str,
}

/// What needs no tool.
const LANGUAGE: &str = "(define (square-sum numbers) (fold + 0 (map (lambda (n) (* n n)) numbers)))\n\
                        (square-sum (iota 10))";

const EXAMPLES: &[Example] = &[
    Example {
        calls: &["fs_list", "fs_read"],
        program: r#"(define (file-of line)
  (let ((parts (string-split line "\t")))
    (and (= (length parts) 2) (car parts))))
(define (count-lines path)
  (guard (e (else (list path (error-class e))))
    (list path (length (string-lines (fs_read path))))))
(parallel-map count-lines (filter-map file-of (string-lines (fs_list "."))))"#,
    },
    Example {
        calls: &["fs_search"],
        program: r#"(define found (string-lines (fs_search "TODO" (hash-table "literal" #t "limit" 500 "per_file" 500))))
(define (path-of line) (car (string-split line ":")))
(hash-table-keys (group-by path-of found))"#,
    },
    Example {
        calls: &["shell"],
        program: r#"(define ran (shell "ls" "."))
(if (= (json-ref ran "exitCode") 0)
    (length (string-lines (json-ref ran "output")))
    (error "ls failed:" (json-ref ran "output")))"#,
    },
    Example {
        calls: &["issue_list"],
        program: r#"(define issues (json-ref (issue_list (hash-table "status" (list "open"))) "items"))
(map (lambda (issue) (json-ref issue "id")) issues)"#,
    },
    Example {
        calls: &["desk_list_files", "desk_read_file"],
        program: r#"(define (size file)
  (let ((read (desk_read_file (json-ref file "id"))))
    (list (json-ref file "name") (string-length (json-ref read "content")))))
(parallel-map size (json-ref (desk_list_files) "files"))"#,
    },
];

/// The examples of a run with these functions, as the arguments of calls.
pub(super) fn examples(bindings: &Bindings) -> Vec<String> {
    let sheet = Digest::of_bytes(premath_repl::CHEAT_SHEET.as_bytes());
    let first = format!("; the language is that of the sheet {}\n{LANGUAGE}", sheet.as_str());
    let is_bound = |tool: &&str| bindings.get(tool).is_some_and(|binding| binding.tool == **tool);
    let fitting = EXAMPLES.iter().filter(|example| example.calls.iter().all(&is_bound));
    let programs = [first].into_iter().chain(fitting.map(|example| example.program.to_owned()));
    programs.take(MOST).map(|program| serde_json::json!({ "program": program }).to_string()).collect()
}
