/// A page of the manual in the macros of man(7).
struct ManualPage {
  let name: String
  let section: Int
  private(set) var text: String

  init(_ name: String, _ section: Int, _ summary: String, _ edition: Edition) {
    (self.name, self.section) = (name, section)
    text =
      ".TH \(name.uppercased()) \(section) \(edition.date) \"mfad \(edition.version)\" \"PingOne MFA authenticator\"\n.ad l\n"
    heading("NAME")
    text += "\(Self.escaped(name)) \\- \(Self.escaped(summary))\n"
  }

  mutating func heading(_ words: String) { text += ".SH \"\(Self.escaped(words))\"\n" }

  mutating func subheading(_ words: String) { text += ".SS \"\(Self.escaped(words))\"\n" }

  private var followsHeading: Bool {
    guard let last = text.dropLast().split(separator: "\n").last else { return false }
    return last.hasPrefix(".SH") || last.hasPrefix(".SS")
  }

  /// Adds paragraphs, which empty lines separate.
  ///
  /// Indented lines are verbatim.
  mutating func paragraphs(_ words: String, isNested: Bool = false) {
    var isVerbatim = false
    // A heading already begins a paragraph.
    var wantsBreak = !followsHeading
    for line in words.split(separator: "\n", omittingEmptySubsequences: false) {
      guard !line.isEmpty else {
        wantsBreak = true
        continue
      }
      let isIndented = line.hasPrefix("  ")
      if isVerbatim, !isIndented { text += ".EE\n" }
      if wantsBreak { text += isNested ? ".IP\n" : ".PP\n" }
      if isIndented, !isVerbatim { text += ".EX\n" }
      (isVerbatim, wantsBreak) = (isIndented, false)
      text += Self.line(line)
    }
    if isVerbatim { text += ".EE\n" }
  }

  /// Adds a term with its description.
  mutating func item(_ term: String, _ words: String) {
    text += ".TP\n\\fB\(Self.escaped(term))\\fR\n"
    for line in words.split(separator: "\n") { text += Self.line(line) }
  }

  /// Adds content below the previous item.
  mutating func nested(_ add: (inout ManualPage) -> Void) {
    let length = text.count
    var inner = self
    inner.text += ".RS\n"
    add(&inner)
    guard inner.text.count > length + 4 else { return }
    text = inner.text + ".RE\n"
  }

  /// Adds verbatim lines.
  mutating func example(_ lines: [String]) {
    text += followsHeading ? ".EX\n" : ".PP\n.EX\n"
    for line in lines { text += Self.line(line) }
    text += ".EE\n"
  }

  mutating func seeAlso(_ pages: (name: String, section: Int)...) {
    heading("SEE ALSO")
    text += pages.map { ".BR \(Self.escaped($0.name)) (\($0.section))" }.joined(separator: " ,\n") + "\n"
  }

  private static func line(_ words: some StringProtocol) -> String {
    let escaped = escaped(String(words))
    // A line that begins with a period or an apostrophe would be a macro.
    return (escaped.first == "." || escaped.first == "'" ? "\\&" : "") + escaped + "\n"
  }

  private static func escaped(_ words: String) -> String {
    var text = ""
    for character in words {
      switch character {
      case "\\": text += "\\e"
      case "-": text += "\\-"
      case "\"": text += "\\(dq"
      case "…": text += "..."
      case "–": text += "\\(en"
      default: text.append(character)
      }
    }
    return text
  }
}

/// The version and the date of the pages.
struct Edition {
  let version: String
  /// A date in ISO 8601.
  let date: String
}
