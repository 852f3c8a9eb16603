internal import ControlClient

/// A name of programs, as a key of a form, in the words that it is made of.
enum RawName {
  /// `user.givenName` as "Given name", `phone_number` as "Phone number"; a name in capitals or with digits stays.
  static func words(_ name: String) -> SafeText {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    var words: [String] = []
    for character in last {
      if character == "_" || character == "-" || character == " " {
        words.append("")
      } else if character.isUppercase, words.last?.last?.isLowercase == true {
        words.append(character.lowercased())
      } else if words.isEmpty {
        words.append(String(character))
      } else {
        words[words.count - 1].append(character)
      }
    }
    let text = words.filter { !$0.isEmpty }.joined(separator: " ")
    return "\(text.prefix(1).uppercased() + text.dropFirst())"
  }
}
