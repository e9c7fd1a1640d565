#!/bin/sh
# Runs the checks of one instruction: `premath instruction-run`.
#   sh tools/ci/run_instruction.sh ENVELOPE [more flags]      or INSTRUCTION=ENVELOPE sh tools/ci/run_instruction.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case "${1:-}" in
    '' | -*) envelope=${INSTRUCTION:-} ;;
    *)
        envelope=$1
        shift
        ;;
esac
if [ -z "$envelope" ]; then
    case " $* " in
        *' --json '*)
            printf '{"error":{"class":"usage","message":"no instruction is named","hint":"%s"}}\n' \
                'name the envelope: sh tools/ci/run_instruction.sh ENVELOPE'
            ;;
    esac
    printf 'error: usage: no instruction is named\nhint: %s\n' \
        'name the envelope: sh tools/ci/run_instruction.sh ENVELOPE' >&2
    exit 2
fi
exec sh "$here/../premath" instruction-run --instruction "$envelope" "$@"
