package import JSON
package import JSONRPC

/// A method of the control interface: its description, its parameters, and the shape of its answer.
package protocol ControlMethod: Sendable {
  /// What the method answers.
  associatedtype Answer: ControlValue

  /// Its name, `subject.verb`.
  static var name: String { get }
  /// Who may call it.
  static var access: AccessClass { get }
  /// What it does, in one sentence.
  static var summary: String { get }
  /// Its parameters; no others are taken.
  static var parameters: [Property] { get }
  /// Whether it changes something, so that its rate is limited.
  static var isWrite: Bool { get }
  /// What the audit tells of its calls; `nil`: nothing.
  static var audit: AuditRule? { get }

  /// Takes the parameters, which have been checked against `parameters`.
  init(_ parameters: Parameters) throws(RPCError)
}

/// A value that answers can hold.
package protocol ControlValue: Sendable {
  static var schema: Schema { get }
  var json: JSON { get }
}

/// Who may call a method; the control interface, section 2.
package enum AccessClass: String, CaseIterable, Sendable {
  /// Looking at one's own things.
  case read
  case use
  /// Approving, pairing, signing on.
  case answer
  case admin
  /// The service as a whole: root and the user that the service runs as.
  case service
}

/// An answer without content.
package struct Nothing: ControlValue {
  package static let schema = Schema.object([])

  package var json: JSON { [:] }

  package init() {}
}

extension ControlMethod {
  /// Answering and administering are writes unless a method says otherwise.
  package static var isWrite: Bool { access == .answer || access == .admin }

  /// Answering and administering leave an entry unless a method says otherwise.
  package static var audit: AuditRule? { access == .answer || access == .admin ? AuditRule() : nil }

  /// Reads the parameters of a request: by name, known, complete and each of its shape.
  package init(parsing params: JSON?) throws(RPCError) {
    let object: JSONObject
    switch params {
    case nil: object = [:]
    case .object(let given): object = given
    default: throw .invalidParams
    }
    if let name = Schema.violation(of: Self.parameters, in: object) {
      // A name that the method does not know is the caller's text, which errors never repeat.
      throw Self.parameters.contains { $0.name == name } ? .invalidParameter(name) : .invalidParams
    }
    try self.init(Parameters(object))
  }
}

/// The parameters of one call, checked against their shapes.
package struct Parameters: Sendable {
  private let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  /// A text that must be there.
  package func text(_ name: String) throws(RPCError) -> String {
    guard let text = object[name]?.string else { throw .invalidParameter(name) }
    return text
  }

  /// A text that may be absent.
  package func optionalText(_ name: String) -> String? { object[name]?.string }

  /// An integer that may be absent.
  package func optionalInt(_ name: String) -> Int? { object[name]?.int }

  /// A truth value; absent means false.
  package func flag(_ name: String) -> Bool { object[name]?.bool ?? false }

  /// A value of any shape that must be there.
  package func value(_ name: String) throws(RPCError) -> JSON {
    guard let value = object[name] else { throw .invalidParameter(name) }
    return value
  }

  /// A value of any shape that may be absent.
  package func optionalValue(_ name: String) -> JSON? { object[name] }
}
