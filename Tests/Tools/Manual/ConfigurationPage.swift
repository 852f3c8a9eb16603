internal import Configuration
internal import Text

/// The documentation of a key in the configuration article.
private struct DocumentedKey {
  let meaning: String
  let standard: String
  /// `reload` or `restart`: the action after which a change takes effect.
  let countsAfter: String

  /// Parses a row of a table; `nil` for any other line.
  static func read(_ line: Substring) -> (name: String, key: DocumentedKey)? {
    let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { plain($0) }
    guard cells.count == 6, ["reload", "restart"].contains(cells[4]) else { return nil }
    return (cells[1], DocumentedKey(meaning: cells[2], standard: cells[3], countsAfter: cells[4]))
  }

  /// Returns the text of a cell without markup and without references to other articles.
  private static func plain(_ cell: Substring) -> String {
    var text = ""
    var isReference = false
    for character in cell {
      switch character {
      case "<": isReference = cell.contains("<doc:")
      case ">" where isReference: isReference = false
      case "`", "*": break
      // Remove brackets that contained only a reference.
      case ")" where text.hasSuffix(" ("): text.removeLast(2)
      default: if !isReference { text.append(character) }
      }
    }
    return String(text.trimmed)
  }
}

extension ManualPage {
  struct Mismatch: Error, CustomStringConvertible { let description: String }

  /// The page of `mfad.conf`: every valid key with its documentation in the article.
  static func configuration(_ article: String, _ edition: Edition) throws(Mismatch) -> ManualPage {
    var documented: [String: DocumentedKey] = [:]
    for line in article.split(separator: "\n") {
      if let (name, key) = DocumentedKey.read(line) { documented[name] = key }
    }
    var page = ManualPage("mfad.conf", 5, "configuration of mfad", edition)
    page.heading("DESCRIPTION")
    page.paragraphs(
      """
      mfad and mfad-courier read /etc/mfad/mfad.conf if they run as a service or as root, else
      $XDG_CONFIG_HOME/mfad/mfad.conf. A line is "key = value", or a comment that begins with #. A file with an
      error is refused as a whole; the error names the line. "mfad --check-config" only checks the file, and warns
      of missing settings.
      """
    )
    page.heading("KEYS")
    for key in ConfigurationKey.all {
      guard let said = documented.removeValue(forKey: key.name) else {
        throw Mismatch(description: "the article does not explain \(key.name)")
      }
      page.item(key.name, "\(said.meaning).")
      page.paragraphs(
        "Allowed: \(key.allowed). Default: \(said.standard). A change takes effect after a \(said.countsAfter).",
        isNested: true
      )
    }
    guard documented.isEmpty else {
      throw Mismatch(description: "nothing reads \(documented.keys.sorted().joined(separator: ", "))")
    }
    page.seeAlso(("mfad", 8), ("mfad-courier", 8), ("authctl", 1))
    return page
  }
}
