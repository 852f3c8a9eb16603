/// The script with which a shell completes command lines.
///
/// The program itself computes the candidates.
///
/// The program prints the script for `completion SHELL`. The script then calls `completion words -- WORD...`.
public enum CompletionScript {
  public static let shells = ["bash", "fish", "zsh"]

  /// Returns the script for a shell; `nil` for an unsupported shell.
  public static func text(for shell: String, of program: String) -> String? {
    switch shell {
    case "bash": bash(program)
    case "fish": fish(program)
    case "zsh": zsh(program)
    default: nil
    }
  }

  /// The script splits the line itself, because bash also splits at colons, which account names may contain.
  private static func bash(_ program: String) -> String {
    #"""
    # bash completion of \#(program)
    _\#(program)() {
      local line=${COMP_LINE:0:COMP_POINT} words word typed begin
      # Without -r, so that a backslash escapes a space within a word.
      read -a words <<<"$line"
      [[ $line == *[[:space:]] ]] && words+=("")
      typed=${words[-1]} begin=
      [[ $typed == *[:=]* ]] && begin=${typed%"${typed##*[:=]}"}
      COMPREPLY=()
      while IFS=$'\t' read -r word _; do
        word=$(printf %q "$word")
        COMPREPLY+=("${word#"$begin"}")
      done < <(\#(program) completion words -- "${words[@]:1}" 2>/dev/null)
    }
    complete -o default -F _\#(program) \#(program)
    """#
  }

  private static func fish(_ program: String) -> String {
    #"""
    # fish completion of \#(program)
    function __\#(program)_complete
      set -l words (commandline -opc) (commandline -ct)
      set -l found (\#(program) completion words -- $words[2..] 2>/dev/null)
      if count $found >/dev/null
        printf '%s\n' $found
      else
        __fish_complete_path (commandline -ct)
      end
    end
    complete -c \#(program) -f -a '(__\#(program)_complete)'
    """#
  }

  private static func zsh(_ program: String) -> String {
    #"""
    #compdef \#(program)
    _\#(program)() {
      local -a found
      local line
      for line in "${(@f)$(\#(program) completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
      done
      if (( $#found )); then _describe \#(program) found; else _files; fi
    }
    if [[ $funcstack[1] == _\#(program) ]]; then _\#(program) "$@"; else compdef _\#(program) \#(program); fi
    """#
  }
}
