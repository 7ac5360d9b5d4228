#!/bin/sh
# Review the decisions of a range in CI: fetch what is missing, judge, and leave a report.
#
# It needs no token, runs nothing of what it judges, and takes the policy from the base.
#   DECIDE_BASE     the commit to count from, as the event has it; without one, as `git decide verify` chooses
#   DECIDE_HEAD     what to judge; the checkout's HEAD without it
#   DECIDE_MERGE    the merge commit that the host made of base and head to try it, where that is judged
#   DECIDE_REMOTE   the remote to fetch from (origin)
#   DECIDE_REF      the log, where it is a branch: refs/heads/decisions
#   DECIDE_LOG      a fetched log to judge by together with ours, such as that of a fork
#   DECIDE_RECHECK  true: run the checks again that the base's policy permits
#   DECIDE_REPORT   the file for the report (decisions.md)
#   DECIDE_SUMMARY  a file that the host shows, to which the report is added
set -eu
unset DECIDE_TOKEN GITHUB_TOKEN

remote=${DECIDE_REMOTE:-origin}
report=${DECIDE_REPORT:-decisions.md}
base=${DECIDE_BASE:-}
said=$(mktemp)
resume=
trap 'rm -f "$said"; printf %s "$resume"' EXIT

# Runners of actions obey what looks like an order in what is printed: not while that is text of others.
if [ "${GITHUB_ACTIONS:-}" = true ]; then
    exec 2>&1
    secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    printf '::stop-commands::%s\n' "$secret"
    resume="::$secret::
"
fi

# What was judged may have put a link to elsewhere in the report's place.
if ! rm -f -- "$report" || ! true >"$report"; then
    printf 'error: the report cannot be written: %s\n' "$report" >&2
    exit 3
fi

# Leaves a report in place of one that may stand in a comment from before, and ends.
give_up() {
    {
        printf '<!-- git-decide review not judged %s -->\n' "$(git hash-object --stdin <"$said")"
        printf '## Not judged: exit code %d\n\n' "$1"
        head -c 20000 "$said" | sed 's/^/    /'
    } >"$report"
    summarise
    exit "$1"
}

summarise() {
    if [ -n "${DECIDE_SUMMARY:-}" ]; then
        cat "$report" >>"$DECIDE_SUMMARY"
    fi
}

fail() {
    printf 'error: %s\n' "$1" | tee "$said" >&2
    give_up 2
}

fetch() {
    git fetch --quiet --no-tags "$@" 2>"$said" || {
        cat "$said" >&2
        give_up 3
    }
}

is_commit() {
    git cat-file -e "$1^{commit}" 2>/dev/null
}

# Events name commits by full ids; anything else is nobody's to pass on to git.
check_id() {
    case $1 in
        *[!0-9a-f]*) fail "DECIDE_BASE and DECIDE_HEAD take the full id of a commit" ;;
    esac
}

bring() {
    if ! is_commit "$1"; then
        depth=
        [ ! -s "$shallow" ] || depth=--depth=1
        fetch ${depth:+"$depth"} "$remote" "$1"
    fi
}

# True when history from base to head is all here: what a shallow clone cut off could hide commits.
is_whole() {
    [ -s "$shallow" ] || return 0
    git merge-base "$base" "$head" >/dev/null 2>&1 || return 1
    ! git rev-list "$base..$head" | grep -qFxf "$shallow"
}

check_id "$base"
check_id "${DECIDE_HEAD:-}"
case $base in
    *[!0]*) ;;
    *) base= ;; # a new branch has no commit before
esac
shallow=$(git rev-parse --git-common-dir)/shallow
if [ -n "${DECIDE_HEAD:-}" ]; then
    bring "$DECIDE_HEAD"
fi
head=$(git rev-parse --verify --quiet "${DECIDE_HEAD:-HEAD}^{commit}") || fail "nothing is checked out"

# The base may have moved on since the event: the merge that the host made says which one it tried.
if [ -n "${DECIDE_MERGE:-}" ] && [ "$DECIDE_MERGE" = "$head" ]; then
    parents=$(git cat-file commit "$head" | sed -n '/^$/q;s/^parent //p')
    case $parents in
        *[!0-9a-f]*) base=${parents%%[!0-9a-f]*} ;; # there are two
    esac
fi

if [ -n "$base" ]; then
    bring "$base"
    for more in 50 500 5000; do
        is_whole || fetch --deepen="$more" "$remote" "$base" "$head"
    done
    is_whole || fetch --unshallow "$remote" "$base" "$head"
elif [ -s "$shallow" ]; then
    fetch --unshallow "$remote"
fi

# The log comes whole, however shallow the clone is; readers follow it by themselves.
if [ -n "${DECIDE_REF:-}" ]; then
    git config decide.ref "$DECIDE_REF"
    fetch "$remote" "+$DECIDE_REF:$DECIDE_REF"
else
    fetch "$remote" "+refs/decisions/*:refs/decisions-remotes/$remote/*"
fi

set -- ${base:+"$base..$head"}
if [ -n "${DECIDE_LOG:-}" ]; then
    set -- "$@" --log "$DECIDE_LOG"
fi

verdict=0
git-decide verify "$@" || verdict=$?

if [ "${DECIDE_RECHECK:-}" = true ]; then
    set -- "$@" --recheck
fi
code=0
git-decide review "$@" --format markdown >"$report" 2>"$said" || code=$?
cat "$said" >&2
[ "$code" -gt "$verdict" ] && verdict=$code
[ -s "$report" ] || give_up "$verdict"
summarise
exit "$verdict"
