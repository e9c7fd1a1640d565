#!/bin/sh
# Are the totals what the bookkeeper expects?
set -eu
cd "$(dirname "$0")"

expected=$(cat expected.txt)
found=$(sh totals.sh invoices/*.csv)

if [ "$found" = "$expected" ]; then
    echo "PASS: all totals agree"
else
    printf 'FAIL: the totals differ\n\nexpected:\n%s\n\nfound:\n%s\n' "$expected" "$found"
    exit 1
fi
