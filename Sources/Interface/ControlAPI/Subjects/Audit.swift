public import Glibc
public import JSONRPC
internal import Text
public import Time

public struct AuditList: ControlMethod {
  public static let name = "audit.list"
  public static let access = AccessClass.read
  public static let summary = "lists the caller's audit entries, for root all entries, newest first"
  public static let errors: [RPCError] = [.notFound]
  public static let parameters = Shape(
    AuditList.init(page:),
    .inline(\.page)
  )
  public static let envelope: Shape<[AuditEntry]>? = .member("entries", "the entries, newest first")
  public static var example: Example<Self> { Example(AuditList(page: Page(limit: 1)), [Samples.entry]) }

  public let page: Page

  public init(page: Page = Page()) { self.page = page }
}

public struct AuditVerify: ControlMethod {
  public static let name = "audit.verify"
  public static let access = AccessClass.read
  public static let summary =
    "verifies that the caller's audit entries, for root all entries, are unchanged"
  public static let errors: [RPCError] = [.keyUnavailable]
  public static let parameters = Shape(AuditVerify.init)
  public static var example: Example<Self> {
    Example(AuditVerify(), AuditVerification(entries: 12, isSound: true))
  }

  public typealias Result = AuditVerification

  public init() {}
}

/// An action of a caller or of the daemon, with its outcome.
public struct AuditEntry: ControlObject, Equatable {
  public let id: String
  public let at: Timestamp
  public let owner: uid_t
  public let method: String
  public let target: String?
  public let outcome: String

  /// The outcome of a success without further information.
  public static let done = "ok"
  /// The begin of an outcome that is a number of successful calls.
  public static let countPrefix = "COUNT_"

  public init(id: String, at: Timestamp, owner: uid_t, method: String, target: String?, outcome: String) {
    (self.id, self.at, self.owner) = (id, at, owner)
    (self.method, self.target, self.outcome) = (method, target, outcome)
  }

  public static let shape = Shape(
    "AuditEntry",
    AuditEntry.init(id:at:owner:method:target:outcome:),
    .required("id", \.id, as: .identifier, "the id, for paging the list"),
    .required("at", \.at, "the time of the action"),
    .required("uid", \.owner, "the uid that acted, or for which the daemon acted"),
    .required(
      "method",
      \.method,
      as: .text(maximum: 64),
      "the method, journey.bind or journey.sign for a key's use, or daemon.… for the daemon's own actions"
    ),
    .optional("target", \.target, as: .identifier, "the id of the affected object"),
    .required(
      "outcome",
      \.outcome,
      as: .text(maximum: 64),
      "ok, an error's reason, DENIED_ and a denial's reason, COUNT_ and a number of calls, or another final state"
    )
  )
}

/// The result of a verification: whether the audit entries are complete and unchanged.
public struct AuditVerification: ControlObject, Equatable {
  /// Number of verified entries.
  public var entries: Int
  public var isSound: Bool
  /// The id of the first entry that does not follow from its predecessor, or of the entry that reports a
  /// rolled-back state.
  ///
  /// `nil` if the audit is sound, or if entries are missing at the end, or if a seal is invalid.
  public var brokenAt: String?

  public init(entries: Int, isSound: Bool, brokenAt: String? = nil) {
    (self.entries, self.isSound, self.brokenAt) = (entries, isSound, brokenAt)
  }

  public static let shape = Shape(
    AuditVerification.init(entries:isSound:brokenAt:),
    .required("entries", \.entries, "the number of verified entries"),
    .required("ok", \.isSound, "true if the entries are complete and unchanged"),
    .optional(
      "brokenAt",
      \.brokenAt,
      as: .identifier,
      "the entry at which the chain breaks; absent if there is none, the end is missing or a seal is invalid"
    )
  )
}

/// The rule that audits the calls of a method.
public struct AuditRule<Method: ControlMethod>: Sendable {
  private let target: @Sendable (Method, Method.Result?) -> String?
  private let outcome: @Sendable (Method, Method.Result) -> String?
  /// True if the audit counts the successful calls and ignores the others.
  ///
  /// Such calls cost no write each.
  private let isCounted: Bool

  /// Audits calls with an id from the parameters as target, or without a target.
  ///
  /// `outcome` returns the outcome of a successful call; `nil` means `ok`.
  public init(
    target: @escaping @Sendable (Method) -> String? = { _ in nil },
    outcome: @escaping @Sendable (Method, Method.Result) -> String? = { _, _ in nil }
  ) {
    self.target = { method, _ in target(method) }
    (self.outcome, isCounted) = (outcome, false)
  }

  /// Audits calls with an id from the result as target.
  public init(
    made target: @escaping @Sendable (Method.Result) -> String?,
    outcome: @escaping @Sendable (Method, Method.Result) -> String? = { _, _ in nil }
  ) {
    self.target = { $1.flatMap(target) }
    (self.outcome, isCounted) = (outcome, false)
  }

  /// Counts successful calls by an id from the result.
  public init(counting target: @escaping @Sendable (Method.Result) -> String) {
    self.target = { $1.map(target) }
    outcome = { _, _ in nil }
    isCounted = true
  }

  /// Returns the target and the outcome of a call's entry; `nil` if the call has no entry.
  ///
  /// The outcome is `nil` if the call is counted.
  public func entry(
    _ method: Method?,
    _ result: Result<Method.Result, RPCError>
  ) -> (target: String?, outcome: String?)? {
    guard isCounted else { return (target(method, result), outcome(method, result)) }
    guard case .success = result else { return nil }
    return (target(method, result), nil)
  }

  /// Returns the id of the affected object.
  ///
  /// `nil` if the text has not the form of an id, or if the parameters were invalid or named no object.
  public func target(_ method: Method?, _ result: Result<Method.Result, RPCError>) -> String? {
    guard !result.isAboutNothing else { return nil }
    return method.flatMap { target($0, try? result.get()) }.flatMap { $0.isIdentifier ? $0 : nil }
  }

  /// Returns the outcome of a call: an error's reason, or the rule's outcome of a success.
  public func outcome(_ method: Method?, _ result: Result<Method.Result, RPCError>) -> String {
    switch result {
    case .failure(let error): error.reason
    case .success(let result): method.flatMap { outcome($0, result) } ?? AuditEntry.done
    }
  }
}

extension Result where Failure == RPCError {
  /// True if the parameters were invalid or named no object: then they may be arbitrary text, not ids.
  public var isAboutNothing: Bool {
    guard case .failure(let error) = self else { return false }
    return error.isNotFound || error.code == RPCError.invalidParams.code
  }
}

extension Node {
  /// The audit outcome of a sign-on step that neither continues nor succeeds; `nil` for other steps.
  var remarkableOutcome: String? {
    outcome == .next || outcome == .success ? nil : outcome.name.uppercased()
  }
}
