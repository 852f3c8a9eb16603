internal import Text

/// The paths of the routes of a table.
struct PathTable {
  /// By how many segments they have.
  private let patterns: [Int: [PathPattern]]

  init(_ patterns: [String]) {
    let patterns = patterns.enumerated().map { place, text in PathPattern(text, place: place) }
    self.patterns = Dictionary(grouping: patterns, by: \.segments.count)
  }

  /// Those that a path fits, in the order of the table.
  func patterns(of path: [Substring]) -> [PathPattern] {
    patterns[path.count, default: []].filter { $0.fits(path) }
  }
}

/// The path of a route; a segment `{name}` stands for any identifier.
struct PathPattern {
  enum Segment {
    case literal(Substring)
    case parameter(name: String)
  }

  let segments: [Segment]
  /// That of its route in the table.
  let place: Int

  fileprivate init(_ text: String, place: Int) {
    self.place = place
    segments = Self.segments(of: text[...]).map { segment in
      segment.hasPrefix("{") ? .parameter(name: String(segment.dropFirst().dropLast())) : .literal(segment)
    }
  }

  static func segments(of path: Substring) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }

  fileprivate func fits(_ path: [Substring]) -> Bool {
    // What is written out tells most of them apart, and is the quicker to look at.
    for (given, expected) in zip(path, segments) {
      if case .literal(let text) = expected, given != text { return false }
    }
    return parameters(in: path).allSatisfy { $0.value.isIdentifier }
  }

  /// What stands in a path for the names.
  func parameters(in path: [Substring]) -> [(name: String, value: Substring)] {
    zip(path, segments).compactMap { given, expected in
      if case .parameter(let name) = expected { (name, given) } else { nil }
    }
  }
}
