import JSON

struct Members: Sendable {
  let object: JSONObject
  /// Path of the object within the request, as in the targets of errors: empty, or like `mobile.otp.`.
  private let path: String

  static let maximumText = 1024

  init(_ object: JSONObject = [:], path: String = "") {
    self.object = object
    self.path = path
  }

  init(parsing bytes: [UInt8]) throws(ErrorResponse) {
    guard let object = try? JSON(parsing: bytes).object else {
      throw .invalidRequest("The request could not be completed. The body is not a JSON object.")
    }
    self.init(object)
  }

  func target(_ name: String) -> String { path + name }

  func invalid(_ name: String, _ message: String, code: String = "INVALID_VALUE") -> ErrorResponse {
    .invalid(target(name), message, code: code)
  }

  func missing(_ name: String) -> ErrorResponse { invalid(name, "must be given", code: "REQUIRED_VALUE") }

  func value(_ name: String) -> JSON? {
    guard let value = object[name], !value.isNull else { return nil }
    return value
  }

  func text(_ name: String, maximum: Int = maximumText) throws(ErrorResponse) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw invalid(name, "must be a string") }
    guard text.utf8.count <= maximum else { throw invalid(name, "must be at most \(maximum) bytes long") }
    return text
  }

  func requiredText(_ name: String, maximum: Int = maximumText) throws(ErrorResponse) -> String {
    guard let text = try text(name, maximum: maximum), !text.isEmpty else {
      throw invalid(name, "must not be empty", code: "REQUIRED_VALUE")
    }
    return text
  }

  func bool(_ name: String) throws(ErrorResponse) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.bool else { throw invalid(name, "must be true or false") }
    return flag
  }

  func requiredBool(_ name: String) throws(ErrorResponse) -> Bool {
    guard let flag = try bool(name) else { throw missing(name) }
    return flag
  }

  func int(_ name: String, in range: ClosedRange<Int>) throws(ErrorResponse) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.int, range.contains(number) else { throw .outOfRange(target(name), range) }
    return number
  }

  func requiredInt(_ name: String, in range: ClosedRange<Int>) throws(ErrorResponse) -> Int {
    guard let number = try int(name, in: range) else { throw missing(name) }
    return number
  }

  func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, of type: Value.Type)
    throws(ErrorResponse) -> Value?
  {
    guard let text = try text(name) else { return nil }
    guard let value = Value(rawValue: text) else {
      throw .notAllowed(target(name), Value.allCases.map(\.rawValue))
    }
    return value
  }

  /// Returns an optional object of at most `maximum` bytes in serialized form.
  func members(_ name: String, maximum: Int = 64 * 1024) throws(ErrorResponse) -> Members? {
    guard let value = value(name) else { return nil }
    guard let object = value.object else { throw invalid(name, "must be an object") }
    guard value.serialized.count <= maximum else {
      throw invalid(name, "must be at most \(maximum) bytes long")
    }
    return Members(object, path: "\(path)\(name).")
  }

  func requiredMembers(_ name: String) throws(ErrorResponse) -> Members {
    guard let members = try members(name) else { throw missing(name) }
    return members
  }

  func list(_ name: String, maximum: Int = 100) throws(ErrorResponse) -> [Members]? {
    guard let value = value(name) else { return nil }
    guard let array = value.array, array.count <= maximum else {
      throw invalid(name, "must be an array of at most \(maximum) objects")
    }
    var list: [Members] = []
    for (index, element) in array.enumerated() {
      guard let object = element.object else { throw invalid("\(name)[\(index)]", "must be an object") }
      list.append(Members(object, path: "\(path)\(name)[\(index)]."))
    }
    return list
  }

  /// Returns the identifier in an optional reference `{"id": …}`.
  func reference<Kind>(_ name: String, to kind: Kind.Type) throws(ErrorResponse) -> ID<Kind>? {
    guard let members = try members(name) else { return nil }
    return ID(try members.requiredText("id", maximum: 64))
  }
}

extension JSON {
  static func range(_ range: ClosedRange<Int>) -> JSON {
    ["rangeMinimumValue": .int(range.lowerBound), "rangeMaximumValue": .int(range.upperBound)]
  }
}

/// A duration in the platform's format, which keeps the unit of the request.
struct TimeSpan: Codable, Shown {
  enum Unit: String, CaseIterable, Codable, Shown {
    case seconds = "SECONDS"
    case minutes = "MINUTES"
    case hours = "HOURS"
  }

  /// Names of the two members of a duration, for which the platform uses two pairs of names.
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
  /// Returns an optional duration in the given range and units.
  ///
  /// Throws if the object lacks one of its two members.
  func timeSpan(
    _ name: String,
    _ seconds: ClosedRange<Int>,
    _ units: [TimeSpan.Unit],
    _ names: TimeSpan.Names = .duration
  ) throws(ErrorResponse) -> TimeSpan? {
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
