/// One search for a pattern in a text, by trying, with a bound on the tries.
final class PatternSearch {
  /// Whether the search was given up.
  private(set) var isExhausted = false

  /// How many more may be tried.
  private(set) var steps: Int

  private let text: [Unicode.Scalar]
  private var depth = 0

  /// What is tried lies on the stack.
  private static let maximumDepth = 4000

  init(_ text: [Unicode.Scalar], steps: Int) { (self.text, self.steps) = (text, steps) }

  /// Whether the pattern is anywhere in the text.
  func find(_ node: Pattern.Node) -> Bool {
    (0...text.count).contains { start in match(node, at: start) { _ in true } }
  }

  /// Whether a part is at a place, and what follows it where it ends.
  private func match(_ node: Pattern.Node, at index: Int, then next: (Int) -> Bool) -> Bool {
    steps -= 1
    depth += 1
    defer { depth -= 1 }
    guard !isExhausted, steps >= 0, depth <= Self.maximumDepth else {
      isExhausted = true
      return false
    }
    switch node {
    case .one(let set):
      // A long list takes long.
      steps -= set.ranges.count
      return index < text.count && set.contains(text[index]) && next(index + 1)
    case .start: return index == 0 && next(index)
    case .end: return index == text.count && next(index)
    case .wordBoundary(let isThere): return (isWord(index - 1) != isWord(index)) == isThere && next(index)
    case .sequence(let nodes): return match(nodes[...], at: index, then: next)
    case .either(let nodes): return nodes.contains { match($0, at: index, then: next) }
    case .repeated(let node, let from, let to):
      return match(node, from: from, to: to, at: index, then: next)
    case .ahead(let node, let isThere):
      return match(node, at: index) { _ in true } == isThere && next(index)
    }
  }

  private func match(_ nodes: ArraySlice<Pattern.Node>, at index: Int, then next: (Int) -> Bool) -> Bool {
    guard let first = nodes.first else { return next(index) }
    return match(first, at: index) { match(nodes.dropFirst(), at: $0, then: next) }
  }

  /// As often as can be first: which of several ways is found does not matter, only whether there is one.
  private func match(
    _ node: Pattern.Node,
    from: Int,
    to: Int,
    at index: Int,
    then next: (Int) -> Bool
  ) -> Bool {
    if to > 0 {
      let isMore = match(node, at: index) { end in
        // What takes nothing can be there as often as one likes.
        if end == index { return from > 0 && next(end) }
        return match(node, from: max(0, from - 1), to: to - 1, at: end, then: next)
      }
      if isMore { return true }
    }
    return from == 0 && next(index)
  }

  private func isWord(_ index: Int) -> Bool {
    text.indices.contains(index) && ScalarSet.word.contains(text[index])
  }
}
