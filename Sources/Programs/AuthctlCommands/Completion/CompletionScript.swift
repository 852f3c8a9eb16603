internal import ControlClient

/// What a shell runs to complete a command line; what fits is said by the program itself.
enum CompletionScript {
  static let all: [String: SafeText] = ["bash": bash, "fish": fish, "zsh": zsh]

  /// The words are taken from the line: bash itself parts them at colons too, as in the name of an account.
  private static let bash: SafeText = #"""
    # bash completion of authctl
    _authctl() {
      local line=${COMP_LINE:0:COMP_POINT} words word typed begin
      # Without -r: what is escaped by a backslash is one word.
      read -a words <<<"$line"
      [[ $line == *[[:space:]] ]] && words+=("")
      typed=${words[-1]} begin=
      [[ $typed == *[:=]* ]] && begin=${typed%"${typed##*[:=]}"}
      COMPREPLY=()
      while IFS=$'\t' read -r word _; do
        word=$(printf %q "$word")
        COMPREPLY+=("${word#"$begin"}")
      done < <(authctl completion words -- "${words[@]:1}" 2>/dev/null)
    }
    complete -o default -F _authctl authctl
    """#

  private static let fish: SafeText = #"""
    # fish completion of authctl
    function __authctl_complete
      set -l words (commandline -opc) (commandline -ct)
      set -l found (authctl completion words -- $words[2..] 2>/dev/null)
      if count $found >/dev/null
        printf '%s\n' $found
      else
        __fish_complete_path (commandline -ct)
      end
    end
    complete -c authctl -f -a '(__authctl_complete)'
    """#

  private static let zsh: SafeText = #"""
    #compdef authctl
    _authctl() {
      local -a found
      local line
      for line in "${(@f)$(authctl completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
      done
      if (( $#found )); then _describe authctl found; else _files; fi
    }
    if [[ $funcstack[1] == _authctl ]]; then _authctl "$@"; else compdef _authctl authctl; fi
    """#
}
