#!/bin/sh
# Finds ten lines in 200 files twice: with one program, and with 200 calls. No key, no network.
# The program is $PREMATH, else `premath`, else the one that `cargo build --release` made.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
premath=${PREMATH:-$(command -v premath || echo "$here/../../target/release/premath")}
project=$(mktemp -d)/project
mkdir -p "$project/logs"
cd "$project"
echo "in $project"
"$premath" init > /dev/null
cp "$here/code.toml" .

# 200 logs of 25 lines; every twentieth has an error in it.
number=1
while [ "$number" -le 200 ]; do
    awk -v number="$number" 'BEGIN {
        for (line = 1; line <= 25; line++) {
            if (line == 13 && number % 20 == 0) printf "line %d ERROR of service %d: out of disk\n", line, number
            else printf "line %d of service %d: a request was answered\n", line, number
        }
    }' > "logs/$number.log"
    number=$((number + 1))
done

# What a model says that has no programs: two answers of 100 calls each.
{
    echo 'name = "json"'
    number=1
    while [ "$number" -le 200 ]; do
        if [ $((number % 100)) -eq 1 ]; then
            printf '[[turn]]\ntext = "I read 100 logs."\n'
        fi
        printf '[[turn.call]]\ntool = "fs_read"\narguments = { path = "logs/%d.log" }\n' "$number"
        number=$((number + 1))
    done
    printf '[[turn]]\ntext = "Ten services are out of disk."\n'
} > json.toml

task="say which services have errors in logs/"
# One number of the last line, which is the answer of the run.
number_of() {
    tail -n 1 "$1" | sed -n "s/.*\"$2\":\([0-9][0-9]*\).*/\1/p"
}
"$premath" run "$task" --model scripted:code.toml --action-mode code --run-id code --json > code.jsonl
"$premath" run "$task" --model scripted:json.toml --run-id json --json > json.jsonl
"$premath" replay code > /dev/null
"$premath" turn show code.t0001 | head -n 40

echo
echo "code mode, calls: $(number_of code.jsonl toolCalls)"
echo "code mode, tokens of the run: $(number_of code.jsonl tokens)"
echo "shown of programs: $(number_of code.jsonl shown)"
echo "without them: $(number_of code.jsonl unfiltered)"
echo "json mode, calls: $(number_of json.jsonl toolCalls)"
echo "json mode, tokens of the run: $(number_of json.jsonl tokens)"
