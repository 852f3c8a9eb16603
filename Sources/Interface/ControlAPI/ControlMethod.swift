package import JSON
package import JSONRPC

/// A method of the control interface: what it is, its parameters, and the shape of its result.
///
/// A value of the type is one call, which a client writes and the daemon reads.
package protocol ControlMethod: Sendable {
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

/// A result without content.
package struct Nothing: ControlObject {
  package static let shape = Shape(Nothing.init)

  package init() {}
}

extension ControlMethod {
  /// Deciding and administering are writes unless a method says otherwise.
  package static var isWrite: Bool { access == .answer || access == .admin }

  /// Deciding and administering leave an entry unless a method says otherwise.
  package static var audit: AuditRule<Self>? { access == .answer || access == .admin ? AuditRule() : nil }

  /// Looking works, with what is personal left out; nothing else does unless a method says otherwise.
  package var worksWhileLocked: Bool { Self.access == .read || Self.access == .service }

  /// Nothing does but what tells that it is so.
  package static var worksMisconfigured: Bool { false }

  package static var isAudited: Bool { audit != nil }

  /// The parameters and the result of the example.
  package static var exampleJSON: (params: JSONObject, result: JSON) { (example.params, example.resultJSON) }

  /// The parameters, in the order in which they are described.
  package static var properties: [Property] { parameters.properties }
}
