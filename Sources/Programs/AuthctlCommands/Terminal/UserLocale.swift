internal import Configuration
internal import ControlClient
internal import Text

/// What the user's environment says about language and characters.
enum UserLocale {
  /// The language for messages as BCP 47 writes it, `en-GB`; `nil` if none is chosen.
  static func language(_ environment: (String) -> String? = Environment.value) -> String? {
    let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first
    // `de_DE.UTF-8@euro`
    guard let name, let base = name.split(whereSeparator: { $0 == "." || $0 == "@" }).first else {
      return nil
    }
    let tag = base.replacing("_", with: "-")
    guard tag != "C", tag != "POSIX", tag.utf8.count <= 35, tag.utf8.allSatisfy(isTagCharacter) else {
      return nil
    }
    return String(tag)
  }

  static func isUTF8(_ environment: (String) -> String? = Environment.value) -> Bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first?.lowercased() ?? ""
    return name.contains("utf-8") || name.contains("utf8")
  }

  private static func isTagCharacter(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-")
  }
}
