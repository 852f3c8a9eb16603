package import JSONRPC
internal import Text

/// What the audit tells of the calls of a method.
package struct AuditRule<Method: ControlMethod>: Sendable {
  private let target: @Sendable (Method, Method.Result?) -> String?
  private let outcome: @Sendable (Method, Method.Result) -> String?

  /// Calls that are about the thing of an id in their parameters, or about none.
  ///
  /// `outcome` is what is told of a call that succeeded; `nil`: that it did.
  package init(
    target: @escaping @Sendable (Method) -> String? = { _ in nil },
    outcome: @escaping @Sendable (Method, Method.Result) -> String? = { _, _ in nil }
  ) {
    self.target = { method, _ in target(method) }
    self.outcome = outcome
  }

  /// Calls that are about the thing of an id in their result.
  package init(
    made target: @escaping @Sendable (Method.Result) -> String?,
    outcome: @escaping @Sendable (Method, Method.Result) -> String? = { _, _ in nil }
  ) {
    self.target = { $1.flatMap(target) }
    self.outcome = outcome
  }

  /// The id of the thing that a call was about; only ids of things that there are, never other text.
  package func target(_ method: Method?, _ result: Result<Method.Result, RPCError>) -> String? {
    guard !result.isAboutNothing else { return nil }
    return method.flatMap { target($0, try? result.get()) }.flatMap { $0.isIdentifier ? $0 : nil }
  }

  /// How a call ended: an error's reason, or what the rule tells of success.
  package func outcome(_ method: Method?, _ result: Result<Method.Result, RPCError>) -> String {
    switch result {
    case .failure(let error): error.reason
    case .success(let result): method.flatMap { outcome($0, result) } ?? AuditEntry.done
    }
  }
}

extension Result where Failure == RPCError {
  /// Whether what a call named was not understood or not found, and is the caller's text and no id.
  package var isAboutNothing: Bool {
    guard case .failure(let error) = self else { return false }
    return error.isNotFound || error.code == RPCError.invalidParams.code
  }
}

extension Node {
  /// What the audit tells of a step that a person would not expect.
  var remarkableOutcome: String? {
    outcome == .next || outcome == .success ? nil : outcome.name.uppercased()
  }
}
