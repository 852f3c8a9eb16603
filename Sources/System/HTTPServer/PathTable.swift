internal import Text

/// The path patterns of a route table.
struct PathTable {
  /// The patterns by number of segments.
  private let patterns: [Int: [PathPattern]]

  init(_ patterns: [String]) {
    let patterns = patterns.enumerated().map { place, text in PathPattern(text, place: place) }
    self.patterns = Dictionary(grouping: patterns, by: \.segments.count)
  }

  /// Returns the patterns that match a path, in the order of the table.
  func patterns(of path: [Substring]) -> [PathPattern] {
    patterns[path.count, default: []].filter { $0.fits(path) }
  }
}

/// The path of a route; a segment `{name}` matches any identifier.
struct PathPattern {
  enum Segment {
    case literal(Substring)
    case parameter(name: String)
  }

  let segments: [Segment]
  /// The index of the pattern's route in the table.
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
    // Literals are compared first, because they distinguish most patterns and are faster to compare.
    for (given, expected) in zip(path, segments) {
      if case .literal(let text) = expected, given != text { return false }
    }
    return parameters(in: path).allSatisfy { $0.value.isIdentifier }
  }

  /// Returns the segments of a path that are the values of the pattern's parameters.
  func parameters(in path: [Substring]) -> [(name: String, value: Substring)] {
    zip(path, segments).compactMap { given, expected in
      if case .parameter(let name) = expected { (name, given) } else { nil }
    }
  }
}
