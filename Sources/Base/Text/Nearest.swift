extension Sequence<String> {
  /// Returns the word that a mistyped word resembles most; `nil` if no word is near, or two are equally near.
  ///
  /// Accepts up to two typing errors, or one in a word of fewer than five letters. An error is a missing,
  /// extra or wrong letter, or two swapped neighbours. If no word is near, accepts the only word that begins
  /// with the typed text.
  public func nearest(to word: String) -> String? {
    let typed = Array(word.lowercased().unicodeScalars.prefix(Self.longest))
    guard typed.count > 1, typed.count < Self.longest else { return nil }
    let most = typed.count(where: \.properties.isAlphabetic) < 5 ? 1 : 2
    var best: (word: String, slips: Int)?
    var isTied = false
    for candidate in self {
      let slips = Self.slips(typed, Array(candidate.lowercased().unicodeScalars))
      guard slips <= most, slips <= best?.slips ?? most else { continue }
      isTied = slips == best?.slips
      best = (candidate, slips)
    }
    if let best { return isTied ? nil : best.word }
    let longer = filter { $0.hasPrefix(word) }
    return longer.count == 1 ? longer.first : nil
  }

  /// Length from which a typed word is ignored, because the time of a comparison grows with both lengths.
  private static var longest: Int { 64 }

  /// Returns the number of typing errors between two words, the optimal string alignment distance.
  private static func slips(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var next = [row + 1]
      for (column, otherLetter) in other.enumerated() {
        var count = Swift.min(next[column], last[column + 1]) + 1
        count = Swift.min(count, last[column] + (letter == otherLetter ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
          count = Swift.min(count, beforeLast[column - 1] + 1)
        }
        next.append(count)
      }
      (beforeLast, last) = (last, next)
    }
    return last[other.count]
  }
}
