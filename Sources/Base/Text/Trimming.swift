extension StringProtocol where SubSequence == Substring {
  /// The text without white space at its ends.
  package var trimmed: Substring { trimmed(where: \.isWhitespace) }

  /// The text without spaces and tabs at its ends, the optional white space of RFC 9110 section 5.6.3.
  package var trimmedOfBlanks: Substring { trimmed { $0 == " " || $0 == "\t" } }

  /// The text without what is blank at its ends.
  package func trimmed(where isBlank: (Character) -> Bool) -> Substring {
    var rest = drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }
}
