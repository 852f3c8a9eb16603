public import JSON
public import Time

/// A value in requests and results: it has a schema, writes itself and can be read back.
public protocol ControlValue: Sendable {
  static var schema: Schema { get }

  func write(to writer: inout JSONWriter)

  /// Reads a value that another program wrote. Unknown members are ignored.
  init(reading json: JSON) throws(UnreadableValue)
}

/// A value that is an object, defined by its shape.
public protocol ControlObject: ControlValue {
  static var shape: Shape<Self> { get }
}

/// The JSON does not have the shape of the value.
public struct UnreadableValue: Error, Equatable {
  /// The path of members to the unreadable value, outermost first.
  public private(set) var path: [String] = []

  func inside(_ member: String) -> UnreadableValue {
    var error = self
    error.path.insert(member, at: 0)
    return error
  }
}

extension Optional {
  /// The wrapped value; throws `UnreadableValue` if it is `nil`.
  var readable: Wrapped {
    get throws(UnreadableValue) {
      guard let self else { throw UnreadableValue() }
      return self
    }
  }
}

extension ControlObject {
  public static var schema: Schema { shape.schema }

  public func write(to writer: inout JSONWriter) { Self.shape.write(self, to: &writer) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try Self.shape.read(json.object.readable)
  }
}

extension ControlValue {
  /// The value as one line of UTF-8.
  public var serialized: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.finish()
  }

  /// The value as a tree, for access to its parts.
  public var json: JSON { JSON(write) }
}

extension JSON {
  /// Parses the written JSON as a tree.
  init(_ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    write(&writer)
    self = (try? JSON(parsing: writer.finish(), maximumDepth: 256, maximumValues: .max)) ?? .null
  }
}

/// One of a fixed set of texts, in requests and results.
public protocol ControlChoice: ControlValue, RawRepresentable, CaseIterable, Equatable
where RawValue == String {}

extension ControlChoice {
  public static var schema: Schema { .choice(allCases.map(\.rawValue)) }

  public func write(to writer: inout JSONWriter) { writer.write(rawValue) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try json.string.flatMap(Self.init(rawValue:)).readable
  }
}

/// A choice in a result, known or unknown to this version.
///
/// A later version of the daemon may return a text that this version does not know.
public enum Open<Choice: ControlChoice>: ControlValue, Equatable {
  case known(Choice)
  case unknown(String)

  public init(name: String) { self = Choice(rawValue: name).map(Open.known) ?? .unknown(name) }

  /// The choice; `nil` if this version does not know it.
  public var choice: Choice? {
    if case .known(let choice) = self { choice } else { nil }
  }

  /// The text of the choice.
  public var name: String {
    switch self {
    case .known(let choice): choice.rawValue
    case .unknown(let name): name
    }
  }

  public static var schema: Schema { Choice.schema }

  public func write(to writer: inout JSONWriter) { writer.write(name) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self.init(name: try String(reading: json))
  }
}

/// True if the left choice is present, known and equal to the right one.
public func == <Choice>(left: Open<Choice>?, right: Choice) -> Bool { left?.choice == right }

public func != <Choice>(left: Open<Choice>?, right: Choice) -> Bool { left?.choice != right }

// The types that members of objects can have.

extension String: ControlValue {
  /// The default schema of a text: at most 800 code points, enough for 200 characters of four code points.
  public static var schema: Schema { .text(maximum: 800) }

  public func write(to writer: inout JSONWriter) { writer.write(self) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try json.string.readable
  }
}

extension Bool: ControlValue {
  public static var schema: Schema { .boolean }

  public func write(to writer: inout JSONWriter) { writer.write(self) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try json.bool.readable
  }
}

extension Int: ControlValue {
  public static var schema: Schema { .count }

  public func write(to writer: inout JSONWriter) { writer.write(self) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try json.int.readable
  }
}

/// A user id, as the kernel reports it.
extension UInt32: ControlValue {
  public static var schema: Schema { .integer(0...Int(UInt32.max)) }

  public func write(to writer: inout JSONWriter) { writer.write(Int(self)) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try json.int.flatMap(UInt32.init(exactly:)).readable
  }
}

extension Timestamp: ControlValue {
  public static var schema: Schema { .instant }

  public func write(to writer: inout JSONWriter) { writer.write(text) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try json.string.flatMap { Timestamp(text: $0) }.readable
  }
}

extension JSON: ControlValue {
  public static var schema: Schema { .anything }

  public func write(to writer: inout JSONWriter) { writer.write(self) }

  public init(reading json: JSON) { self = json }

  public var json: JSON { self }
}

extension JSONObject: ControlValue {
  public static var schema: Schema { .map(.anything) }

  public func write(to writer: inout JSONWriter) { writer.write(self) }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try json.object.readable
  }
}

extension Array: ControlValue where Element: ControlValue {
  public static var schema: Schema { .array(Element.schema) }

  public func write(to writer: inout JSONWriter) {
    writer.openArray()
    for element in self {
      writer.beginElement()
      element.write(to: &writer)
    }
    writer.closeArray()
  }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = try json.array.readable.map { (element) throws(UnreadableValue) in try Element(reading: element) }
  }
}

/// `null`, or a value.
extension Optional: ControlValue where Wrapped: ControlValue {
  public static var schema: Schema { .nullable(Wrapped.schema) }

  public func write(to writer: inout JSONWriter) {
    if let self { self.write(to: &writer) } else { writer.writeNull() }
  }

  public init(reading json: JSON) throws(UnreadableValue) {
    self = json.isNull ? nil : try Wrapped(reading: json)
  }
}

/// JSON that is already serialized, so that it can be sent many times without repeating that work.
public struct RawJSON: ControlValue {
  public let bytes: [UInt8]

  public init(bytes: [UInt8]) { self.bytes = bytes }

  public init(_ value: some ControlValue) { bytes = value.serialized }

  public static let schema = Schema.anything

  public func write(to writer: inout JSONWriter) { writer.write(raw: bytes) }

  public init(reading json: JSON) { bytes = json.serialized }
}

/// A page of a list, newest first.
public struct Page: ControlObject {
  public let limit: Int
  /// The id of an element; the page contains only older elements, or the newest ones if this is `nil`.
  public let before: String?

  /// Maximum number of elements in one result.
  public static let maximum = 200
  private static let standard = 50

  public init(limit: Int? = nil, before: String? = nil) {
    (self.limit, self.before) = (limit ?? Self.standard, before)
  }

  public static let shape = Shape(
    Page.init(limit:before:),
    .optional("limit", \.limit, as: .integer(1...maximum), default: standard, "the maximum of results"),
    .optional("before", \.before, as: .identifier, "an id; only older results are returned")
  )
}
