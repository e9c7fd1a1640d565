#!/bin/sh
# Makes a repository with three drafts on its desk, and the scenario that names them: sh seed.sh FOLDER
# The program is $PREMATH, else `premath`.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
premath=${PREMATH:-premath}
mkdir -p "${1:?into which folder?}"
cd "$1"
"$premath" init > /dev/null
cp "$here/scenario.toml" scenario.toml
for name in draft-a.md draft-b.md draft-c.md; do
    echo "this is $name" > "$name"
    "$premath" desk add "$name" --file "$name" > /dev/null
    id=$("$premath" desk show "$name" --json | sed 's/.*"id":"\(fil_[0-9a-f]*\)".*/\1/')
    sed "s/@$name@/$id/" scenario.toml > scenario.new
    mv scenario.new scenario.toml
    rm "$name"
done
"$premath" desk list
