//! Databases: statements that lose data.

use super::{Call, begins};
use crate::arg::Arg;
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlite" | "duckdb" | "mongosh" | "mongo"
        | "clickhouse-client" | "cqlsh" | "sqlcmd" | "usql" | "pgcli" | "mycli" | "turso" => {
            sql(interpreter, call)
        }
        "redis-cli" | "valkey-cli" => {
            let words = call.words(&["-h", "-p", "-a", "-n", "-u"]);
            if words
                .iter()
                .any(|word| matches!(word.as_str(), "flushall" | "flushdb" | "shutdown" | "debug" | "config"))
                && !begins(&words, "config get")
            {
                loses(interpreter);
            }
        }
        "dropdb" | "dropuser" | "mysqladmin" if call.name != "mysqladmin" || call.mentions("drop") => {
            loses(interpreter)
        }
        "pg_restore" if call.has('c', "--clean") => loses(interpreter),
        "rails" | "rake" | "artisan" | "alembic" | "prisma" | "knex" | "sequelize" | "diesel" | "sqlx" => {
            let text = call.joined();
            let resets = [
                "db:drop",
                "db:reset",
                "db:purge",
                "migrate:fresh",
                "migrate:reset",
                "db:wipe",
                "migrate reset",
                "database reset",
                "database drop",
                "db:migrate:undo:all",
                "db push --force-reset",
            ];
            if resets.iter().any(|reset| text.contains(reset)) {
                loses(interpreter);
            }
        }
        _ => return None,
    }
    Some(Flow::output())
}

fn loses(interpreter: &mut Interpreter<'_>) {
    interpreter.ask(RiskClass::Destructive, Reach::Network, "deletes data of a database");
}

fn sql(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let mut texts: Vec<String> = call.args.iter().map(Arg::shown).collect();
    texts.extend(call.input.text.clone());
    let is_any = texts.iter().any(|text| loses_data(text));
    if is_any {
        loses(interpreter);
    }
    for text in &texts {
        for line in text.lines() {
            let line = line.trim_start();
            if let Some(command) = line
                .strip_prefix("\\!")
                .or_else(|| line.strip_prefix(".shell "))
                .or_else(|| line.strip_prefix(".system "))
            {
                interpreter.run_text(command, Flow::terminal());
            }
        }
    }
    if matches!(call.name, "sqlite3" | "sqlite" | "duckdb")
        && let Some(file) = call.positionals(&["-cmd", "-separator"]).first()
    {
        interpreter.touch_unknown(file);
        let place = interpreter.place(file);
        if interpreter.scene.is_secret(&place) {
            interpreter.read(file);
        }
    }
}

/// Whether a statement deletes what it was not asked row by row.
fn loses_data(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let drops = [
        "drop table",
        "drop database",
        "drop schema",
        "drop user",
        "drop role",
        "drop collection",
        "drop column",
        "truncate ",
        "dropdatabase(",
        ".drop()",
        "deletemany({})",
        "remove({})",
        "drop view",
        "drop index",
    ];
    let is_everything = |verb: &str| text.contains(verb) && !text.contains(" where ");
    drops.iter().any(|drop| text.contains(drop))
        || is_everything("delete from ")
        || (is_everything("update ") && text.contains(" set "))
}
