import JSON

/// References of one flow file, which are checked after it has been read.
final class FlowScope {
  let file: String
  var targets: [(page: String, place: String)] = []
  var variablesRead: [(name: String, place: String)] = []
  var variablesSet: Set<String> = []

  init(file: String) { self.file = file }
}

/// One value of a flow file, with its location for error messages.
struct FlowReader {
  let value: JSON
  let place: String
  let scope: FlowScope

  func failure(_ reason: String) -> FlowFileError {
    FlowFileError(file: scope.file, place: place, reason: reason)
  }

  func members() throws(FlowFileError) -> FlowMembers {
    guard let object = value.object else { throw failure("must be an object") }
    return FlowMembers(object, of: self)
  }

  func elements() throws(FlowFileError) -> [FlowReader] {
    guard let array = value.array else { throw failure("must be an array") }
    return array.enumerated().map { index, element in
      FlowReader(value: element, place: "\(place)[\(index)]", scope: scope)
    }
  }

  func elements(_ count: Int) throws(FlowFileError) -> [FlowReader] {
    let elements = try elements()
    guard elements.count == count else { throw failure("must have \(count) elements") }
    return elements
  }

  func texts() throws(FlowFileError) -> [String] {
    if value.string != nil { return [try text()] }
    return try elements().map { element throws(FlowFileError) in try element.text() }
  }

  func text() throws(FlowFileError) -> String {
    guard let text = value.string, !text.isEmpty else { throw failure("must be a non-empty text") }
    return text
  }

  func text(of allowed: [String]) throws(FlowFileError) -> String {
    let text = try text()
    guard allowed.contains(text) else { throw failure("must be one of \(allowed.joined(separator: ", "))") }
    return text
  }

  func bool() throws(FlowFileError) -> Bool {
    guard let flag = value.bool else { throw failure("must be true or false") }
    return flag
  }

  /// Reads `true`, the only valid value.
  func `true`() throws(FlowFileError) { guard value.bool == true else { throw failure("must be true") } }

  func int(_ range: ClosedRange<Int>) throws(FlowFileError) -> Int {
    guard let number = value.int, range.contains(number) else {
      throw failure("must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func target() throws(FlowFileError) -> String {
    let page = try text()
    scope.targets.append((page, place))
    return page
  }

  func variable() throws(FlowFileError) -> String {
    let name = try text()
    scope.variablesSet.insert(name)
    return name
  }

  func template() throws(FlowFileError) -> FlowTemplate { try FlowTemplate(self) }
}

/// The members of an object in a flow file; `end` throws if a member has not been read.
struct FlowMembers {
  private let object: JSONObject
  private let reader: FlowReader
  private var unread: [String]

  init(_ object: JSONObject, of reader: FlowReader) {
    self.object = object
    self.reader = reader
    unread = object.names
  }

  var names: [String] { object.names }

  func failure(_ reason: String) -> FlowFileError { reader.failure(reason) }

  mutating func optional(_ name: String) -> FlowReader? {
    guard let value = object[name] else { return nil }
    unread.removeAll { $0 == name }
    let place = reader.place.isEmpty ? name : "\(reader.place).\(name)"
    return FlowReader(value: value, place: place, scope: reader.scope)
  }

  mutating func template(_ name: String) throws(FlowFileError) -> FlowTemplate? {
    try optional(name)?.template()
  }

  /// Reads an optional object; an absent object is empty.
  mutating func object(_ name: String) throws(FlowFileError) -> FlowTemplate {
    guard let member = optional(name) else { return FlowTemplate([:]) }
    _ = try member.members()
    return try member.template()
  }

  mutating func required(_ name: String) throws(FlowFileError) -> FlowReader {
    guard let member = optional(name) else { throw failure("needs the member \(name)") }
    return member
  }

  mutating func rest() -> [(name: String, reader: FlowReader)] {
    unread.compactMap { name in optional(name).map { (name, $0) } }
  }

  func end() throws(FlowFileError) {
    guard let name = unread.first else { return }
    throw failure("has the unknown member \(name)")
  }
}

struct FlowFileError: Error, CustomStringConvertible {
  let file: String
  /// Location in the file, by the names of members: `pages.sign-on.answers[0].when`.
  let place: String
  let reason: String

  var description: String { place.isEmpty ? "\(file): \(reason)" : "\(file): \(place): \(reason)" }
}
