internal import Text

/// The language that pages are asked for in, RFC 9110 section 12.5.4.
enum AcceptLanguage {
  /// The field for a locale, with the bare language behind it: `en-GB` as `en-GB, en;q=0.9`; `nil` for no language.
  ///
  /// A list with weights stands as it is.
  static func field(_ locale: String) -> String? {
    guard locale.utf8.allSatisfy(isAllowed) else { return nil }
    if locale.contains(";") || locale.contains(",") { return locale }
    // POSIX writes en_GB.UTF-8@euro.
    let tag = String(locale.prefix { $0 != "." && $0 != "@" }.map { $0 == "_" ? "-" : $0 })
    guard tag.first?.isLetter == true, tag != "C", tag != "POSIX" else { return nil }
    let language = tag.prefix { $0 != "-" }
    return language.count == tag.count ? tag : "\(tag), \(language);q=0.9"
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-_,;=.*@ ".utf8.contains(byte)
  }
}
