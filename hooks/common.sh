#!/bin/sh
# What the hooks of git-decide share; `git decide hooks install` writes it into each of them.

# The program that installed them; without it, the one on the PATH.
program=''
# A file without which it is no more than a shell of itself.
package=''
dir=${GIT_DIR:-.git}

# Whether a file can be run: a script wants its interpreter and its package, too.
runs() {
	[ -f "$1" ] && [ -x "$1" ] || return
	line='' second=''
	{ IFS= read -r line && IFS= read -r second; } <"$1"
	case $second in
	# What pip writes where the path of the interpreter has a blank in it, or is long.
	"'''exec' \""*) line="#!${second#*\"}" && line=${line%%\"*} ;;
	"'''exec' /"*) line="#!${second#*"' "}" && line=${line%% *} ;;
	*) case $line in '#!/'*) line=${line%% *} ;; esac ;;
	esac
	case $line in
	'#!/'*) [ -x "${line#??}" ] || return ;;
	esac
	[ -z "$package" ] || [ -e "$package" ] || "$1" --version >/dev/null 2>&1 </dev/null
}

decide() {
	if runs "$program"; then
		"$program" "$@"
	elif command -v git-decide >/dev/null 2>&1; then
		git-decide "$@"
	else
		case $0 in
		*/pre-receive) advice='install it on the server again' ;;
		*) advice='install it again, or pass over this hook once with --no-verify' ;;
		esac
		printf 'error: git-decide is missing, neither %s nor on the PATH: %s\n' "${program:-here}" "$advice" >&2
		return 1
	fi
}

# The hook of this name that was here before ours keeps its say, and has it first.
kept() {
	kept=${0%/*}/$1.decide-kept
	shift
	if [ -f "$kept" ] && [ -x "$kept" ]; then
		"$kept" "$@" || exit
	fi
}

# Whether HEAD is on a branch that is linked to a decision.
linked() {
	head=
	# A symbolic link is an old way to say what HEAD is, .invalid how reftable says that it knows better.
	[ -h "$dir/HEAD" ] || read -r head 2>/dev/null <"$dir/HEAD"
	case $head in
	'' | 'ref: refs/heads/.invalid')
		name='' # of any branch
		may_be_linked || return
		head="ref: $(git symbolic-ref --quiet HEAD)"
		;;
	esac
	case $head in
	'ref: refs/heads/'*) name=${head#ref: refs/heads/} ;;
	*) return 1 ;;
	esac
	may_be_linked || return
	git config --get "branch.$name.decide" >/dev/null 2>&1
	[ $? -ne 1 ]
}

# No, when the repository's own configuration says nothing of it: told without starting a process.
may_be_linked() {
	[ -z "${GIT_CONFIG_PARAMETERS-}${GIT_CONFIG_COUNT-}" ] || return 0
	common=${GIT_COMMON_DIR:-$dir}
	if [ -f "$dir/commondir" ]; then
		read -r common <"$dir/commondir"
		case $common in /*) ;; *) common=$dir/$common ;; esac
	fi
	mentioned "$common/config" || { [ -f "$dir/config.worktree" ] && mentioned "$dir/config.worktree"; }
}

mentioned() {
	[ -r "$1" ] || return 0
	lines=0 section=
	while read -r line || [ -n "$line" ]; do
		case $line in
		'[branch "'*'"]') section=$line ;;
		'['[Ii][Nn][Cc][Ll][Uu][Dd][Ee]*) return 0 ;;
		'['*']'*[Dd][Ee][Cc][Ii][Dd][Ee]*) return 0 ;;
		'['*) section= ;;
		[Dd][Ee][Cc][Ii][Dd][Ee]*)
			case ${name:+$section} in '' | *\\* | "[branch \"$name\"]") return 0 ;; esac
			;;
		esac
		# Reading goes letter by letter: git is quicker with what is long.
		lines=$((lines + 1)) && [ "$lines" -lt 300 ] || return 0
	done <"$1"
	return 1
}

if [ "$*" = --decide-probe ]; then
	decide --version
	exit
fi
