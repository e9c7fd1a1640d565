#!/bin/sh
# The scripted agent: writes the chapter of its issue and names it in the book. Where two chapters were added at once, the
# second one gets both lines to sort out.
set -eu
chapter=${PREMATH_ISSUE_ID#bd-}
mkdir -p chapters
echo "Text of chapter $chapter." > "chapters/$chapter.txt"
if [ -n "${PREMATH_CONFLICT_PATHS:-}" ]; then
    sed -i -e '/^<<<<<<< /d' -e '/^=======$/d' -e '/^>>>>>>> /d' book.txt
else
    echo "Chapter $chapter" >> book.txt
fi
