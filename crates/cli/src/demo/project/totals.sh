#!/bin/sh
# Prints what each invoice adds up to.
set -eu

for invoice in "$@"; do
    awk -F , -v name="$(basename "$invoice" .csv)" '
        NR > 2 { cents += $2 * $3 }
        END { printf "%s %d.%02d\n", name, cents / 100, cents % 100 }
    ' "$invoice"
done
