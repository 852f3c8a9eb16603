public import ControlClient

/// Converts HTML in server texts to lines for a terminal, without tags and with link targets in parentheses.
///
/// It runs no scripts and fetches no resources. Text that is not a well-formed tag stays unchanged. A
/// character from an entity is text, never the beginning of a tag.
public enum Markup {
  /// Returns the lines of a text, without empty ones.
  public static func lines(_ text: String) -> [SafeText] {
    var reader = Reader(rest: Array(text.unicodeScalars)[...])
    return reader.lines().map { "\($0)" }
  }

  /// Returns a text in one line.
  public static func line(_ text: String) -> SafeText { lines(text).joined(separator: " ") }
}

private struct Reader {
  var rest: ArraySlice<Unicode.Scalar>
  private var done: [String] = []
  private var line = ""
  /// False if the rest has no end of a comment, so that an unsuccessful search is not repeated.
  private var mayHoldComment = true
  /// The target of the open link, and the start of its text.
  private var link: (target: String, start: String.Index)?

  /// Maximum length of a tag; longer text is not a tag.
  private static let maximumTag = 4096
  /// The schemes of link targets that are shown.
  private static let schemes = ["http:", "https:", "mailto:", "tel:"]
  /// Elements with content that is not shown.
  private static let unread: Set<String> = ["script", "style", "head", "template"]
  private static let breaking: Set<String> = [
    "br", "p", "div", "li", "ul", "ol", "tr", "table", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "section",
  ]

  init(rest: ArraySlice<Unicode.Scalar>) { self.rest = rest }

  mutating func lines() -> [String] {
    while let scalar = rest.first {
      switch scalar {
      case "<":
        if let tag = tag() { apply(tag) } else { add(rest.removeFirst()) }
      case "&": add(entity() ?? rest.removeFirst())
      default: add(rest.removeFirst())
      }
    }
    closeLink()
    endLine()
    return done
  }

  private mutating func add(_ scalar: Unicode.Scalar) {
    if scalar == "\n" || scalar == "\r" { return endLine() }
    let isSpace = scalar == " " || scalar == "\t" || scalar == "\u{A0}"
    if isSpace, line.isEmpty || line.hasSuffix(" ") { return }
    line.unicodeScalars.append(isSpace ? " " : scalar)
  }

  private mutating func endLine() {
    closeLink()
    while line.hasSuffix(" ") { line.removeLast() }
    if !line.isEmpty { done.append(line) }
    line = ""
  }

  // MARK: Tags

  private struct Tag {
    var name = ""
    var isEnd = false
    var target: String?
  }

  /// Consumes a tag or a comment; returns `nil` if there is none.
  private mutating func tag() -> Tag? {
    if mayHoldComment, rest.starts(with: "<!--".unicodeScalars) {
      guard let end = rest.firstRange(of: Array("-->".unicodeScalars)) else {
        mayHoldComment = false
        return nil
      }
      rest = rest[end.upperBound...]
      return Tag()
    }
    guard let text = tagText() else { return nil }
    rest = rest.dropFirst(text.count + 2)
    var tag = Tag()
    var body = text
    if body.first == "/" {
      tag.isEnd = true
      body.removeFirst()
    }
    tag.name = Self.text(body.prefix { Self.isLetterOrDigit($0) }).lowercased()
    tag.target = tag.name == "a" ? Self.attribute("href", of: body.drop { Self.isLetterOrDigit($0) }) : nil
    return tag
  }

  /// Returns the text between the angle brackets; a bracket in quotes belongs to an attribute value.
  private func tagText() -> ArraySlice<Unicode.Scalar>? {
    let inner = rest.dropFirst().prefix(Self.maximumTag)
    let first = inner.first == "/" ? inner.dropFirst().first : inner.first
    guard let first, first.isASCII, first.properties.isAlphabetic else { return nil }
    var quote: Unicode.Scalar?
    for (index, scalar) in zip(inner.indices, inner) {
      if let open = quote {
        if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if scalar == ">" {
        return inner[..<index]
      } else if scalar == "<" {
        return nil
      }
    }
    return nil
  }

  private mutating func apply(_ tag: Tag) {
    if Self.unread.contains(tag.name), !tag.isEnd { return skip(to: tag.name) }
    if Self.breaking.contains(tag.name) { endLine() }
    if tag.name == "li", !tag.isEnd { line = "- " }
    guard tag.name == "a" else { return }
    if link != nil {
      closeLink()
      if !tag.isEnd { add(" ") }
    }
    if !tag.isEnd, let target = tag.target { link = (target, line.endIndex) }
  }

  /// Skips to the end of an element, or everything if it does not end.
  private mutating func skip(to name: String) {
    while !rest.isEmpty {
      rest = rest.drop { $0 != "<" }
      if let tag = tag() {
        if tag.isEnd, tag.name == name { return }
      } else {
        rest = rest.dropFirst()
      }
    }
  }

  private mutating func closeLink() {
    guard let (target, start) = link else { return }
    link = nil
    let scheme = target.lowercased()
    guard Self.schemes.contains(where: { scheme.hasPrefix($0) }), line[start...] != target else { return }
    line += line.isEmpty || line.hasSuffix(" ") ? "(\(target))" : " (\(target))"
  }

  /// Returns the value of an attribute, quoted or not.
  private static func attribute(_ name: String, of text: ArraySlice<Unicode.Scalar>) -> String? {
    var rest = text
    while !rest.isEmpty {
      rest = rest.drop { !isLetterOrDigit($0) }
      let found = rest.prefix { isLetterOrDigit($0) || $0 == "-" }
      rest = rest.dropFirst(found.count).drop { $0 == " " }
      guard rest.first == "=" else { continue }
      rest = rest.dropFirst().drop { $0 == " " }
      var value = rest.prefix { $0 != " " }
      if let quote = rest.first, quote == "\"" || quote == "'" {
        value = rest.dropFirst().prefix { $0 != quote }
        rest = rest.dropFirst(value.count + 2)
      } else {
        rest = rest.dropFirst(value.count)
      }
      if Self.text(found).lowercased() == name {
        var reader = Reader(rest: value)
        return reader.decoded()
      }
    }
    return nil
  }

  private mutating func decoded() -> String {
    var text = ""
    while let scalar = rest.first {
      text.unicodeScalars.append(scalar == "&" ? entity() ?? rest.removeFirst() : rest.removeFirst())
    }
    return text
  }

  // MARK: Entities

  /// Consumes a known entity; returns `nil` if there is none.
  private mutating func entity() -> Unicode.Scalar? {
    let name = rest.dropFirst().prefix(12).prefix { $0 != ";" }
    guard rest.dropFirst(name.count + 1).first == ";" else { return nil }
    let text = Self.text(name)
    let scalar: Unicode.Scalar? =
      if text.hasPrefix("#x") || text.hasPrefix("#X") {
        UInt32(text.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
      } else if text.hasPrefix("#") {
        UInt32(text.dropFirst()).flatMap { Unicode.Scalar($0) }
      } else {
        Self.entities[text]
      }
    guard let scalar else { return nil }
    rest = rest.dropFirst(name.count + 2)
    return scalar
  }

  private static let entities: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "copy": "©", "reg": "®",
    "trade": "™", "hellip": "…", "mdash": "—", "ndash": "–", "lsquo": "‘", "rsquo": "’", "ldquo": "“",
    "rdquo": "”", "laquo": "«", "raquo": "»", "bull": "•", "middot": "·", "euro": "€", "times": "×",
  ]

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }
}
