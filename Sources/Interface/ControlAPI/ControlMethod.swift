public import JSON
public import JSONRPC

/// A method of the control interface: its properties, its parameters, and the shape of its result.
///
/// Each value of a conforming type is one call, which a client serializes and the daemon parses.
public protocol ControlMethod: Sendable {
  /// The result of a call.
  associatedtype Result: ControlValue

  /// The name of the method, in the form `subject.verb`.
  static var name: String { get }
  /// The access class of the method.
  static var access: AccessClass { get }
  /// The purpose of the method in one sentence, for `rpc.discover`.
  static var summary: String { get }
  /// The errors that its calls can return, in addition to `RPCError.common`.
  static var errors: [RPCError] { get }
  /// The parameters of the method; the daemon rejects a call with any other parameter.
  static var parameters: Shape<Self> { get }
  /// The shape of an object with the result as its only member; `nil` if replies hold the result itself.
  static var envelope: Shape<Result>? { get }
  /// An example of a call.
  static var example: Example<Self> { get }
  /// True if its calls change data; the daemon limits the rate of such calls.
  static var isWrite: Bool { get }
  /// The audit rule of its calls; `nil` if they are not audited.
  static var audit: AuditRule<Self>? { get }
  /// True if the method works while the configuration is unusable.
  static var worksMisconfigured: Bool { get }
  /// True if this call works while the owner's authenticator is locked by a PIN.
  var worksWhileLocked: Bool { get }
}

/// The access class of a method, which `rpc.discover` publishes.
public enum AccessClass: String, CaseIterable, Sendable {
  /// Reads the caller's own objects.
  case read
  case use
  /// Approves, pairs or signs on.
  case answer
  case admin
  /// Concerns the whole service; only root and the user that the service runs as may call it.
  case service
}

/// A result without content.
public struct Nothing: ControlObject {
  public static let shape = Shape(Nothing.init)

  public init() {}
}

extension ControlMethod {
  /// Defaults to true for the classes `answer` and `admin`.
  public static var isWrite: Bool { access == .answer || access == .admin }

  /// Defaults to a rule without a target for the classes `answer` and `admin`, otherwise to `nil`.
  public static var audit: AuditRule<Self>? { access == .answer || access == .admin ? AuditRule() : nil }

  /// Defaults to true for the classes `read` and `service`; while locked, their results omit personal data.
  public var worksWhileLocked: Bool { Self.access == .read || Self.access == .service }

  /// Defaults to false; only methods that report a misconfiguration override it.
  public static var worksMisconfigured: Bool { false }

  public static var isAudited: Bool { audit != nil }

  /// The parameters and the result of the example.
  public static var exampleJSON: (params: JSONObject, result: JSON) { (example.params, example.resultJSON) }

  /// The parameters, in the order of their definition.
  public static var properties: [Property] { parameters.properties }
}

extension ControlMethod {
  /// Reads the parameters of a request.
  ///
  /// Throws if one is unknown, missing or of the wrong shape, or if they are not passed by name.
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
      return .invalidParameter(property.name).withMessage("the parameter \"\(property.name)\" is missing")
    case .wrong(let property):
      let error = RPCError.invalidParameter(property.name, hasToBe: property.schema.words)
      guard case .choice(let allowed) = property.schema else { return error }
      return error.with(ErrorDetails.of(parameter: property.name, allowed: allowed))
    case .unknown(let member):
      let names = properties.map(\.name)
      let error = RPCError.invalidParams.withMessage(
        names.isEmpty
          ? "\(name) takes no parameters" : "\(name) takes no parameter but \(names.joined(separator: ", "))"
      )
      // A name that no parameter could have is arbitrary text, perhaps a secret, and is not repeated.
      guard 1...longestParameter ~= member.utf8.count, member.utf8.allSatisfy(isLetter) else { return error }
      return error.with(ErrorDetails.of(parameter: member, allowed: names))
    }
  }

  /// Maximum length of an unknown parameter's name in an error.
  private static var longestParameter: Int { 32 }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A ~= byte) || (0x61...0x7A ~= byte) }

  /// Returns the request of the call as one line, without the line end.
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

  public static var resultSchema: Schema { envelope?.schema ?? Result.schema }

  /// Writes the result of a call.
  public static func write(_ result: Result, to writer: inout JSONWriter) {
    if let envelope { envelope.write(result, to: &writer) } else { result.write(to: &writer) }
  }

  /// Returns the result of a call as a JSON tree.
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

/// An example of a call, with a possible result.
public struct Example<Method: ControlMethod>: Sendable {
  private let call: Method
  private let result: Method.Result

  public init(_ call: Method, _ result: Method.Result) { (self.call, self.result) = (call, result) }

  /// The parameters of the call, as a client writes them.
  public var params: JSONObject { JSON { Method.parameters.write(call, to: &$0) }.object ?? [:] }

  /// The result, as the daemon writes it.
  public var resultJSON: JSON { Method.json(of: result) }
}
