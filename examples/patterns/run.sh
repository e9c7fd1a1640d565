#!/bin/sh
# Runs the example of one pattern in a fresh project: sh examples/patterns/run.sh chain [more flags of `premath run`]
# The program is $PREMATH, else `premath`, else the one that `cargo build --release` made.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
pattern=${1:?which pattern? single, chain, route, parallel, orchestrator_workers or evaluator_optimizer}
shift
premath=${PREMATH:-$(command -v premath || echo "$here/../../target/release/premath")}
task=$(sed -n 's/^# task: //p' "$here/$pattern.toml")
issue=$(sed -n 's/^# issue: //p' "$here/$pattern.toml")
verify=$(sed -n 's/^# verify: //p' "$here/$pattern.toml")

project=$(mktemp -d)/project
"$premath" init --example "$project" > /dev/null
cp "$here"/*.toml "$project"
cd "$project"
echo "in $project"
if [ -f "$pattern.workflow.toml" ]; then
    set -- --workflow "$pattern.workflow.toml" "$@"
else
    set -- --pattern "$pattern" "$@"
fi
if [ -n "$issue" ]; then
    set -- --issue "$issue" "$@"
fi
if [ -n "$verify" ]; then
    set -- --verify "$verify" "$@"
fi
exec "$premath" run "$task" --model "scripted:$pattern.toml" "$@"
