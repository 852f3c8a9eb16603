/// A reader of the patterns of ECMAScript, as browsers read them.
struct PatternParser {
  private let input: [Unicode.Scalar]
  private var position = 0
  private var depth = 0

  private static let maximumDepth = 32
  private static let maximumCount = 1000

  init(_ input: [Unicode.Scalar]) { self.input = input }

  /// The whole pattern; `nil` if it is not understood.
  mutating func pattern() -> Pattern.Node? {
    guard let node = alternatives(), position == input.count else { return nil }
    return node
  }

  private var current: Unicode.Scalar? { position < input.count ? input[position] : nil }

  private mutating func take(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard input[position...].starts(with: scalars) else { return false }
    position += scalars.count
    return true
  }

  private mutating func next() -> Unicode.Scalar? {
    guard let scalar = current else { return nil }
    position += 1
    return scalar
  }

  private mutating func alternatives() -> Pattern.Node? {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { return nil }
    var choices: [Pattern.Node] = []
    repeat {
      guard let choice = sequence() else { return nil }
      choices.append(choice)
    } while take("|")
    return choices.count == 1 ? choices[0] : .either(choices)
  }

  private mutating func sequence() -> Pattern.Node? {
    var nodes: [Pattern.Node] = []
    while let scalar = current, scalar != "|", scalar != ")" {
      guard let part = part(), let node = quantified(part) else { return nil }
      nodes.append(node)
    }
    return .sequence(nodes)
  }

  private mutating func part() -> Pattern.Node? {
    guard let scalar = next() else { return nil }
    switch scalar {
    case "^": return .start
    case "$": return .end
    case ".": return .one(.any)
    case "(": return group()
    case "[": return set().map { .one($0) }
    case "\\": return escape()
    case "*", "+", "?": return nil
    default: return .one(ScalarSet(scalar))
    }
  }

  private mutating func group() -> Pattern.Node? {
    if take("?=") { return closed().map { .ahead($0, isThere: true) } }
    if take("?!") { return closed().map { .ahead($0, isThere: false) } }
    if take("?:") { return closed() }
    // Names are of no use here; looking back is not understood.
    if take("?<") {
      guard let first = current, first != "=", first != "!" else { return nil }
      while let scalar = next(), scalar != ">" {}
    } else if current == "?" {
      return nil
    }
    return closed()
  }

  private mutating func closed() -> Pattern.Node? {
    guard let node = alternatives(), take(")") else { return nil }
    return node
  }

  private mutating func quantified(_ node: Pattern.Node) -> Pattern.Node? {
    let range: (Int, Int)
    if take("*") {
      range = (0, .max)
    } else if take("+") {
      range = (1, .max)
    } else if take("?") {
      range = (0, 1)
    } else if let counts = counts() {
      range = counts
    } else {
      return node
    }
    // As few as can be or as many: what matters is whether it is found.
    _ = take("?")
    guard range.0 <= range.1, range.0 <= Self.maximumCount else { return nil }
    return .repeated(node, from: range.0, to: range.1)
  }

  /// `{2}`, `{2,}` or `{2,3}`; braces around anything else are characters like others.
  private mutating func counts() -> (Int, Int)? {
    let start = position
    if take("{"), let from = number() {
      if take("}") { return (from, from) }
      if take(",") {
        if take("}") { return (from, .max) }
        if let to = number(), take("}") { return (from, to) }
      }
    }
    position = start
    return nil
  }

  private mutating func number() -> Int? {
    let start = position
    while let scalar = current, ScalarSet.digits.contains(scalar) { position += 1 }
    var digits = String.UnicodeScalarView()
    digits.append(contentsOf: input[start..<position])
    return Int(String(digits))
  }

  private mutating func escape() -> Pattern.Node? {
    if take("b") { return .wordBoundary(isThere: true) }
    if take("B") { return .wordBoundary(isThere: false) }
    return escapedSet().map { .one($0) }
  }

  /// What follows a backslash, within a set or without.
  private mutating func escapedSet() -> ScalarSet? {
    guard let scalar = next() else { return nil }
    switch scalar {
    case "d": return .digits
    case "D": return ScalarSet(ScalarSet.digits.complement)
    case "w": return .word
    case "W": return ScalarSet(ScalarSet.word.complement)
    case "s": return .space
    case "S": return ScalarSet(ScalarSet.space.complement)
    case "t": return ScalarSet("\t")
    case "n": return ScalarSet("\n")
    case "r": return ScalarSet("\r")
    case "f": return ScalarSet("\u{0C}")
    case "v": return ScalarSet("\u{0B}")
    case "x": return code(digits: 2)
    case "u": return code(digits: 4)
    default:
      // Letters and digits mean something else, or will.
      return scalar.isASCII && ScalarSet.word.contains(scalar) && scalar != "_" ? nil : ScalarSet(scalar)
    }
  }

  private mutating func code(digits count: Int) -> ScalarSet? {
    guard position + count <= input.count else { return nil }
    var value: UInt32 = 0
    for scalar in input[position..<position + count] {
      guard let digit = Character(scalar).hexDigitValue, scalar.isASCII else { return nil }
      value = value << 4 | UInt32(digit)
    }
    position += count
    return Unicode.Scalar(value).map { ScalarSet($0) }
  }

  /// What stands in brackets, after the first of them.
  private mutating func set() -> ScalarSet? {
    var set = ScalarSet([], isNegated: take("^"))
    while !take("]") {
      guard let first = member() else { return nil }
      let start = position
      // A hyphen makes a range only between two characters.
      if take("-"), current != "]", let last = member(), let low = first.only, let high = last.only {
        guard low <= high else { return nil }
        set.ranges.append(low...high)
      } else {
        position = start
        set.ranges += first.ranges
      }
    }
    return set
  }

  private mutating func member() -> ScalarSet? {
    guard let scalar = next() else { return nil }
    if scalar != "\\" { return ScalarSet(scalar) }
    return take("b") ? ScalarSet("\u{08}") : escapedSet()
  }
}

extension ScalarSet {
  /// The code point of a set that takes just one.
  fileprivate var only: UInt32? {
    guard ranges.count == 1, let range = ranges.first, range.count == 1, !isNegated else { return nil }
    return range.lowerBound
  }
}
