import JSON

/// A duration as the platform writes it, in the unit in which it was given.
struct TimeSpan: Codable, Shown {
  enum Unit: String, CaseIterable, Codable, Shown {
    case seconds = "SECONDS"
    case minutes = "MINUTES"
    case hours = "HOURS"
  }

  /// The names of the two members, of which the platform has two pairs.
  enum Names: String, Codable, Sendable {
    case duration, amount

    var unit: String { self == .duration ? "timeUnit" : "units" }
  }

  let amount: Int
  let unit: Unit
  private let names: Names

  init(_ amount: Int, _ unit: Unit, _ names: Names = .duration) {
    self.amount = amount
    self.unit = unit
    self.names = names
  }

  var seconds: Int {
    switch unit {
    case .seconds: amount
    case .minutes: amount * 60
    case .hours: amount * 3600
    }
  }

  var json: JSON { .object(JSONObject([(names.rawValue, .int(amount)), (names.unit, unit.json)])) }
}

extension Members {
  /// A duration that may be absent, but not by halves; of so many seconds, in one of these units.
  func timeSpan(
    _ name: String,
    _ seconds: ClosedRange<Int>,
    _ units: [TimeSpan.Unit],
    _ names: TimeSpan.Names = .duration
  ) throws(Refusal) -> TimeSpan? {
    guard let members = try members(name) else { return nil }
    let amount = try members.requiredInt(names.rawValue, in: 0...1_000_000)
    guard let unit = try members.choice(names.unit, of: TimeSpan.Unit.self) else {
      throw members.missing(names.unit)
    }
    guard units.contains(unit) else { throw .notAllowed(members.target(names.unit), units.map(\.rawValue)) }
    let span = TimeSpan(amount, unit, names)
    guard seconds.contains(span.seconds) else {
      let message = "must be from \(seconds.lowerBound) to \(seconds.upperBound) seconds"
      throw .invalid(target(name), message, code: "OUT_OF_RANGE", innerError: .range(seconds))
    }
    return span
  }
}
