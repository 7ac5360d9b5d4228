"""`git decide completion`"""

from contextlib import suppress
from typing import Final

import click
from click.shell_completion import ShellComplete

from gitdecide.app import App
from gitdecide.commands.options import pass_app
from gitdecide.errors import DecideError

BASH: Final = r"""
# Completion of git-decide: eval "$(git decide completion bash)" in ~/.bashrc
_git_decide_words () {
    local end=$1 line
    shift
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}$end")
    done < <(command git-decide completion bash -- "$@" 2>/dev/null </dev/null)
}
# What git's own completion calls for `git decide`; the space is ours to add there.
_git_decide () {
    local at=1
    while ((at < cword)) && [ "${words[at]}" != decide ]; do
        ((at++))
    done
    _git_decide_words ' ' "${words[@]:at+1:cword-at}"
}
_git_decide_alone () {
    _git_decide_words '' "${COMP_WORDS[@]:1:COMP_CWORD}"
}
complete -o bashdefault -o default -F _git_decide_alone git-decide
"""

ZSH: Final = r"""
# Completion of git-decide: eval "$(git decide completion zsh)" in ~/.zshrc, after compinit
_git-decide () {
    local line value
    local -a found
    while IFS= read -r line; do
        value=${${line%%$'\t'*}//:/\\:}
        [[ $line = *$'\t'* ]] && value+=":${line#*$'\t'}"
        found+=("$value")
    done < <(command git-decide completion zsh -- "${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)
    if (($#found)); then
        _describe -V decide found
    else
        _files
    fi
}
compdef _git-decide git-decide
zstyle ':completion:*:*:git:*' user-commands decide:'keep the decisions of a repository'
"""

FISH: Final = r"""
# Completion of git-decide: git decide completion fish | source, in ~/.config/fish/config.fish
function __git_decide_words
    set -l typed (commandline -opc) (commandline -ct)
    set -l at 1
    if test $typed[1] = git
        set at (contains -i -- decide $typed)
    end
    set -l found (command git-decide completion fish -- $typed[(math $at + 1)..] 2>/dev/null </dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path $typed[-1]
    end
end
complete -c git-decide -f -k -a '(__git_decide_words)'
complete -c git -n 'contains -- decide (commandline -opc)' -f -k -a '(__git_decide_words)'
complete -c git -n 'test (count (commandline -opc)) = 1' -f -a decide -d 'Keep the decisions of a repository'
"""

SCRIPTS: Final = {"bash": BASH, "zsh": ZSH, "fish": FISH}


@click.command()
@click.argument("shell", type=click.Choice(list(SCRIPTS)), metavar="SHELL")
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- WORD...]")
@pass_app
def command(app: App, shell: str, words: tuple[str, ...]) -> None:
    """Print what makes a shell complete what you type

    SHELL is bash, zsh or fish; the first line says where it goes. Verbs, options and the names of decision
    records are completed. The script asks with the words typed so far, and is told what the last may become.
    """
    if not words:
        app.out.facts(SCRIPTS[shell].strip().split("\n"))
        return
    root = click.get_current_context().find_root().command
    shells = ShellComplete(root, {"obj": app}, "git decide", "")
    with suppress(DecideError, click.ClickException):  # between two keys nobody wants to read why
        for item in shells.get_completions([*words[:-1]], words[-1]):
            told = (item.help or "").strip().partition("\n")[0]
            app.out.fact(f"{item.value}\t{told}" if told else item.value)
