#!/bin/sh
# Twelve dependent issues, three worktrees, a scripted agent: one command, and main has twelve commits. No key, no network.
# The program is $PREMATH, else `premath`, else the one that `cargo build --release` made. With REVIEW=1 the branches are
# pushed to a bare repository instead, for a review.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
premath=${PREMATH:-$(command -v premath || echo "$here/../../target/release/premath")}
project=$(mktemp -d)/project
mkdir -p "$project"
cd "$project"
echo "in $project"

git init -q -b main
git config user.name "$(git config --get user.name || echo Example)"
git config user.email "$(git config --get user.email || echo example@localhost)"
cp "$here/agent.sh" "$here/check.sh" .

echo 'A book.' > book.txt
"$premath" init > /dev/null

# A chapter for each issue; each third one needs the two before it.
number=1
while [ "$number" -le 12 ]; do
    set -- --description "Write chapters/$number.txt and name it in book.txt." --acceptance "check.sh passes"
    if [ $((number % 3)) -eq 0 ]; then
        set -- "$@" --depends-on "bd-$((number - 1))" --depends-on "bd-$((number - 2))"
    fi
    "$premath" issue add "Chapter $number" --id "bd-$number" "$@" > /dev/null
    number=$((number + 1))
done
git add --all
git commit -q -m "An empty book"

mode=merge
if [ "${REVIEW:-}" = 1 ]; then
    git init -q --bare -b main ../origin.git
    git remote add origin ../origin.git
    git push -q origin main
    mode=push
fi
"$premath" coordinator --workers 3 --land "$mode" --work-cmd 'sh agent.sh' --verify-cmd 'sh check.sh' || echo "(ended with $?)"

echo
git log --graph --oneline --all
sh check.sh && echo 'the check passes on main'
"$premath" verify | tail -n 1
