import JSON

/// A duration as the platform writes it, in the unit in which it was given.
struct TimeSpan: Codable, Sendable {
  enum Unit: String, CaseIterable, Codable, Sendable {
    case seconds = "SECONDS"
    case minutes = "MINUTES"
    case hours = "HOURS"

    fileprivate var seconds: Int {
      switch self {
      case .seconds: 1
      case .minutes: 60
      case .hours: 3600
      }
    }
  }

  /// What a duration may be.
  struct Limits: Sendable {
    let seconds: ClosedRange<Int>
    let units: [Unit]
  }

  /// The names of the two members, of which the platform has two pairs.
  struct Names: Sendable {
    let amount: String
    let unit: String

    static let duration = Names(amount: "duration", unit: "timeUnit")
    static let amount = Names(amount: "amount", unit: "units")
  }

  let amount: Int
  let unit: Unit

  init(_ amount: Int, _ unit: Unit) {
    self.amount = amount
    self.unit = unit
  }

  var seconds: Int { amount * unit.seconds }

  func json(_ names: Names = .duration) -> JSON {
    .object(JSONObject([(names.amount, .int(amount)), (names.unit, .string(unit.rawValue))]))
  }
}

extension Members {
  private static let amounts = 0...1_000_000

  /// A duration that may be absent, but not by halves.
  func timeSpan(
    _ name: String,
    _ limits: TimeSpan.Limits,
    names: TimeSpan.Names = .duration
  ) throws(PingOneError) -> TimeSpan? {
    guard let members = try members(name) else { return nil }
    guard let amount = try members.int(names.amount, in: Self.amounts) else {
      throw members.missing(names.amount)
    }
    guard let unit = try members.choice(names.unit, of: TimeSpan.Unit.self) else {
      throw members.missing(names.unit)
    }
    guard limits.units.contains(unit) else {
      let allowed = limits.units.map(\.rawValue)
      throw members.invalid(
        names.unit,
        "must be one of \(allowed.joined(separator: ", "))",
        innerError: ["allowedValues": .strings(allowed)]
      )
    }
    let span = TimeSpan(amount, unit)
    guard limits.seconds.contains(span.seconds) else {
      throw invalid(
        name,
        "must be from \(limits.seconds.lowerBound) to \(limits.seconds.upperBound) seconds",
        code: "OUT_OF_RANGE",
        innerError: .range(limits.seconds)
      )
    }
    return span
  }
}
