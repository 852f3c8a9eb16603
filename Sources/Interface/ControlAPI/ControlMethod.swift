public import JSON
public import JSONRPC

/// A method of the control interface: what it is, its parameters, and the shape of its result.
///
/// A value of the type is one call, which a client writes and the daemon reads.
public protocol ControlMethod: Sendable {
  /// What a call gives.
  associatedtype Result: ControlValue

  /// Its name, `subject.verb`.
  static var name: String { get }
  /// Who may call it.
  static var access: AccessClass { get }
  /// What it does, in one sentence.
  static var summary: String { get }
  /// The errors that its calls can end with, beside those that any call can.
  static var errors: [RPCError] { get }
  /// Its parameters; no others are taken.
  static var parameters: Shape<Self> { get }
  /// The object whose one member the result is in a reply; `nil`: the result stands alone.
  static var envelope: Shape<Result>? { get }
  /// A call as it may be made.
  static var example: Example<Self> { get }
  /// Whether it changes something, so that its rate is limited.
  static var isWrite: Bool { get }
  /// What the audit tells of its calls; `nil`: nothing.
  static var audit: AuditRule<Self>? { get }
  /// Whether it is carried out also while the configuration cannot be used.
  static var worksMisconfigured: Bool { get }
  /// Whether this call is carried out for an owner whose PIN has not been given.
  var worksWhileLocked: Bool { get }
}

/// Who may call a method, which `rpc.discover` tells of each.
public enum AccessClass: String, CaseIterable, Sendable {
  /// Looking at one's own things.
  case read
  case use
  /// Approving, pairing, signing on.
  case answer
  case admin
  /// The service as a whole: root and the user that the service runs as.
  case service
}

/// A result without content.
public struct Nothing: ControlObject {
  public static let shape = Shape(Nothing.init)

  public init() {}
}

extension ControlMethod {
  /// Deciding and administering are writes unless a method says otherwise.
  public static var isWrite: Bool { access == .answer || access == .admin }

  /// Deciding and administering leave an entry unless a method says otherwise.
  public static var audit: AuditRule<Self>? { access == .answer || access == .admin ? AuditRule() : nil }

  /// Looking works, with what is personal left out; nothing else does unless a method says otherwise.
  public var worksWhileLocked: Bool { Self.access == .read || Self.access == .service }

  /// Nothing does but what tells that it is so.
  public static var worksMisconfigured: Bool { false }

  public static var isAudited: Bool { audit != nil }

  /// The parameters and the result of the example.
  public static var exampleJSON: (params: JSONObject, result: JSON) { (example.params, example.resultJSON) }

  /// The parameters, in the order in which they are described.
  public static var properties: [Property] { parameters.properties }
}

extension ControlMethod {
  /// Reads the parameters of a request: by name, known, complete and each of its shape.
  public init(parsing params: JSON?) throws(RPCError) {
    let object: JSONObject
    switch params {
    case nil: object = [:]
    case .object(let given): object = given
    default: throw .invalidParams
    }
    let parameters = Self.parameters
    if let violation = Schema.violation(of: parameters.properties, in: object) { throw Self.error(violation) }
    do { self = try parameters.read(object) } catch {
      throw error.path.first.map { .invalidParameter($0) } ?? .invalidParams
    }
  }

  private static func error(_ violation: Schema.Violation) -> RPCError {
    switch violation {
    case .missing(let property):
      return .invalidParameter(property.name).saying("the parameter \"\(property.name)\" is missing")
    case .wrong(let property):
      return .invalidParameter(property.name, hasToBe: property.schema.words)
    case .unknownMember:
      // The name itself is the caller's text, which errors never repeat.
      let names = properties.map(\.name).joined(separator: ", ")
      return .invalidParams.saying(
        names.isEmpty
          ? "\(name) takes no parameters" : "\(name) takes no parameter but \(names)"
      )
    }
  }

  /// The request that makes the call, as one line without its end.
  public func request(id: Int) -> [UInt8] {
    var writer = JSONWriter()
    writer.append(#"{"jsonrpc":"2.0","id":"#)
    writer.write(id)
    writer.append(#","method":"#)
    writer.write(Self.name)
    if !Self.properties.isEmpty {
      writer.append(#","params":"#)
      Self.parameters.write(self, to: &writer)
    }
    writer.closeObject()
    return writer.finish()
  }
}

extension ControlMethod {
  public static var envelope: Shape<Result>? { nil }

  /// What a result has to be.
  public static var resultSchema: Schema { envelope?.schema ?? Result.schema }

  /// Writes the result of a call.
  public static func write(_ result: Result, to writer: inout JSONWriter) {
    if let envelope { envelope.write(result, to: &writer) } else { result.write(to: &writer) }
  }

  /// The result of a call as a tree.
  public static func json(of result: Result) -> JSON { JSON { write(result, to: &$0) } }

  /// Reads the result of a call.
  public static func result(reading json: JSON) throws(UnreadableValue) -> Result {
    guard let envelope else { return try Result(reading: json) }
    return try envelope.read(JSONObject(reading: json))
  }
}

extension Shape where Root: ControlValue {
  /// An object that holds one value under a name.
  static func member(_ name: String, as schema: Schema = Root.schema, _ meaning: String) -> Shape {
    Shape({ @Sendable (value: Root) in value }, .required(name, { @Sendable in $0 }, as: schema, meaning))
  }
}

/// A call of a method and what may come of it.
public struct Example<Method: ControlMethod>: Sendable {
  private let call: Method
  private let result: Method.Result

  public init(_ call: Method, _ result: Method.Result) { (self.call, self.result) = (call, result) }

  /// The parameters of the call, as a client writes them.
  public var params: JSONObject { JSON { Method.parameters.write(call, to: &$0) }.object ?? [:] }

  /// The result, as the daemon writes it.
  public var resultJSON: JSON { Method.json(of: result) }
}
