import JSON

/// The number that a sign-on page shows, to be matched on the device.
struct NumberMatch: Codable, Sendable {
  let type: Application.NumberMatching
  let number: Int
  /// What there is to select from, in the order in which it is shown; empty if the number is entered.
  let options: [Int]

  static func random(_ type: Application.NumberMatching) -> NumberMatch {
    let numbers = Array((10...99).shuffled().prefix(3))
    let options = type == .selectNumber ? numbers : []
    return NumberMatch(type: type, number: numbers[Int.random(in: numbers.indices)], options: options)
  }

  /// How often a wrong number may come: who selects has no reason to be wrong.
  var tries: Int { type == .selectNumber ? 1 : 3 }

  var claim: JSON { .of(["type": type, "options": type == .selectNumber ? options : nil]) }
}
