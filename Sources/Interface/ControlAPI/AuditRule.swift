package import JSON
package import JSONRPC
internal import Text

/// What the audit tells of the calls of a method.
package struct AuditRule: Sendable {
  /// Where the id stands of the thing that a call was about.
  package enum Target: Sendable {
    case none
    case parameter(String)
    /// In the answer, at the end of these names.
    case answer([String])
  }

  /// What is told of a call that was carried out.
  package enum Outcome: Sendable {
    case plain
    /// The reason of a denial, which stands in a parameter.
    case denial(parameter: String)
    /// What a member of the answer says, unless it is one of these.
    case member(String, unremarkable: Set<String>)
  }

  /// Where the id stands.
  package let target: Target
  /// What is told of success.
  package let outcome: Outcome

  /// What is told of success without more.
  package static let done = "ok"

  package init(_ target: Target = .none, outcome: Outcome = .plain) {
    (self.target, self.outcome) = (target, outcome)
  }

  /// The id of the thing that a call was about; only ids of things that there are, never other text.
  package func target(params: JSON?, result: Result<JSON, RPCError>) -> String? {
    // What was not understood or not found is the caller's text and no id.
    if case .failure(let error) = result, error == .notFound || error.code == RPCError.invalidParams.code {
      return nil
    }
    let value: JSON? =
      switch target {
      case .none: nil
      case .parameter(let name): params?[name]
      case .answer(let path): path.reduce(try? result.get()) { $0?[$1] }
      }
    return (value?.string ?? value?.int.map(String.init)).flatMap { $0.isIdentifier ? $0 : nil }
  }

  /// How a call ended: an error's reason, or what the rule tells of success.
  package func outcome(params: JSON?, result: Result<JSON, RPCError>) -> String {
    switch (result, outcome) {
    case (.failure(let error), _): return error.reason
    case (.success, .plain): return Self.done
    case (.success, .denial(let parameter)):
      let reason = params?[parameter]?.string ?? "NONE"
      return reason == "NONE" ? Self.done : "DENIED_\(reason)"
    case (.success(let answer), .member(let name, let unremarkable)):
      guard let value = answer[name]?.string, !unremarkable.contains(value) else { return Self.done }
      return value.uppercased()
    }
  }
}
