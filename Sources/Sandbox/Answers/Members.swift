import JSON

/// The members of a request, read by name with the checks that each read needs.
struct Members: Sendable {
  let object: JSONObject

  static let maximumText = 1024

  init(_ object: JSONObject = [:]) { self.object = object }

  init(parsing bytes: [UInt8]) throws(PingOneError) {
    guard let object = try? JSON(parsing: bytes).object else {
      throw .invalidRequest("The request could not be completed. The body is no JSON object.")
    }
    self.object = object
  }

  /// A text that may be absent.
  func text(
    _ name: String,
    maximum: Int = maximumText
  ) throws(PingOneError) -> String? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let text = value.string else { throw .invalid(name, "must be a string") }
    guard text.utf8.count <= maximum else { throw .invalid(name, "must be at most \(maximum) bytes long") }
    return text
  }

  /// A text that must be there and not be empty.
  func requiredText(
    _ name: String,
    maximum: Int = maximumText
  ) throws(PingOneError) -> String {
    guard let text = try text(name, maximum: maximum), !text.isEmpty else {
      throw .invalid(name, "must not be empty", code: "REQUIRED_VALUE")
    }
    return text
  }

  func bool(_ name: String) throws(PingOneError) -> Bool? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let flag = value.bool else { throw .invalid(name, "must be true or false") }
    return flag
  }

  func requiredBool(_ name: String) throws(PingOneError) -> Bool {
    guard let flag = try bool(name) else { throw .invalid(name, "must be given", code: "REQUIRED_VALUE") }
    return flag
  }

  func int(_ name: String, in range: ClosedRange<Int>) throws(PingOneError) -> Int? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let number = value.int, range.contains(number) else {
      throw .invalid(name, "must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// An object that may be absent, of at most so many bytes when written.
  func members(_ name: String, maximum: Int = 64 * 1024) throws(PingOneError) -> Members? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let object = value.object else { throw .invalid(name, "must be an object") }
    guard value.serialized.count <= maximum else {
      throw .invalid(name, "must be at most \(maximum) bytes long")
    }
    return Members(object)
  }

  func requiredMembers(_ name: String) throws(PingOneError) -> Members {
    guard let members = try members(name) else {
      throw .invalid(name, "must be given", code: "REQUIRED_VALUE")
    }
    return members
  }

  /// The identifier in a reference `{"id": …}` that may be absent.
  func reference<Kind>(_ name: String, to kind: Kind.Type) throws(PingOneError) -> ID<Kind>? {
    guard let members = try members(name) else { return nil }
    guard let id = try members.text("id", maximum: 64), !id.isEmpty else {
      throw .invalid("\(name).id", "must not be empty", code: "REQUIRED_VALUE")
    }
    return ID(id)
  }
}
