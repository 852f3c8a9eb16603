/// A regular expression as forms hold it, in the syntax of ECMAScript without back references.
///
/// Whoever writes the pattern may mean harm: how long it and the text are and how many steps a search takes is
/// bounded, and where a bound is met nothing is said of the text.
package struct Pattern: Sendable {
  /// What a part of a pattern takes.
  indirect enum Node: Sendable {
    case one(ScalarSet)
    case start
    case end
    case wordBoundary(isThere: Bool)
    case sequence([Node])
    case either([Node])
    case repeated(Node, from: Int, to: Int)
    case ahead(Node, isThere: Bool)
  }

  /// How many steps all the searches may take together that an input to one page needs.
  package static let stepsOfPage = 100_000

  private let node: Node

  private static let longest = 2048
  private static let longestText = 1024

  /// Reads a pattern; `nil` for one that is not understood.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.longest else { return nil }
    var parser = PatternParser(Array(text.unicodeScalars))
    guard let node = parser.pattern() else { return nil }
    self.node = node
  }

  /// Whether the pattern is found in a text, by so many steps at most, which are taken off; `nil` if they do not do.
  package func isFound(in text: String, steps: inout Int) -> Bool? {
    guard text.utf8.count <= Self.longestText else { return nil }
    let search = PatternSearch(Array(text.unicodeScalars), steps: steps)
    let isFound = search.find(node)
    steps = search.steps
    return search.isExhausted ? nil : isFound
  }
}

/// Characters that a part of a pattern takes, as ranges of code points.
struct ScalarSet: Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var isNegated = false

  init(_ ranges: [ClosedRange<UInt32>], isNegated: Bool = false) {
    (self.ranges, self.isNegated) = (ranges, isNegated)
  }

  init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) } != isNegated
  }

  /// The ranges of all that the set does not take.
  var complement: [ClosedRange<UInt32>] {
    var gaps: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
      next = max(next, range.upperBound + 1)
    }
    return next <= Self.last ? gaps + [next...Self.last] : gaps
  }

  private static let last: UInt32 = 0x10FFFF

  static let digits = ScalarSet([0x30...0x39])
  static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let space = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
    0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
  ])
  /// All but the ends of lines.
  static let any = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029], isNegated: true)
}
