#!/usr/bin/env bash
# The pictures of reports in this folder: reports on examples, as a browser without a window shows them.
# Usage: docs/images/make.sh [COMMAND]; COMMAND is the freeboard to use, by default that of the PATH.
set -euo pipefail
command=$(command -v "${1:-freeboard}")
images=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

# A picture of the part of a report on an example; what follows are options of the report.
picture() {
    local name=$1 part=$2 example=$3 height=$4 status=0
    shift 4
    (cd "$images/../../examples/$(dirname "$example")" &&
        "$command" report "$@" "$(basename "$example")" -o "$pages/$name.html") || status=$?
    [ "$status" -le 2 ] || exit "$status"
    # Of the page only that part: a browser without a window shows what it has scrolled to as a white page.
    sed -i "s,</head>,<style>section:not(#$part) { display: none }</style></head>," "$pages/$name.html"
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="1100,$height" \
        --screenshot="$images/$name.png" "file://$pages/$name.html"
}

picture proved verdict models/two_processes.pml 760
picture weights proof models/two_processes.pml 760
picture run runs machines/eager.kmc 900
picture livelock verdict models/taking_turns.pml 760 --property livelock
picture capsules verdict umlrt/alarm.room 1100
