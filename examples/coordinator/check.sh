#!/bin/sh
# Every chapter is named in the book once, and no third chapter is there without the two before it.
set -eu
for file in chapters/*.txt; do
    [ -e "$file" ] || continue
    chapter=$(basename "$file" .txt)
    [ "$(grep -cx "Chapter $chapter" book.txt)" = 1 ]
    if [ $((chapter % 3)) -eq 0 ]; then
        [ -e "chapters/$((chapter - 1)).txt" ] && [ -e "chapters/$((chapter - 2)).txt" ]
    fi
done
