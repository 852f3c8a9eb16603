public import Glibc
public import JSONRPC
internal import Text
public import Time

public struct AuditList: ControlMethod {
  public static let name = "audit.list"
  public static let access = AccessClass.read
  public static let summary = "lists what was done, the newest first: by the caller, for root by everybody"
  public static let errors: [RPCError] = [.notFound]
  public static let parameters = Shape(
    AuditList.init(page:),
    .inline(\.page)
  )
  public static let envelope: Shape<[AuditEntry]>? = .member("entries", "what was done, the newest first")
  public static var example: Example<Self> { Example(AuditList(page: Page(limit: 1)), [Samples.entry]) }

  public let page: Page

  public init(page: Page = Page()) { self.page = page }
}

public struct AuditVerify: ControlMethod {
  public static let name = "audit.verify"
  public static let access = AccessClass.read
  public static let summary =
    "tells whether the audit is as it was recorded: the caller's own, for root everybody's"
  public static let errors: [RPCError] = [.keyUnavailable]
  public static let parameters = Shape(AuditVerify.init)
  public static var example: Example<Self> {
    Example(AuditVerify(), AuditVerification(entries: 12, isSound: true))
  }

  public typealias Result = AuditVerification

  public init() {}
}

/// One thing that was done, by a caller or by the daemon itself, and how it ended.
public struct AuditEntry: ControlObject, Equatable {
  public let id: String
  public let at: Timestamp
  public let owner: uid_t
  public let method: String
  public let target: String?
  public let outcome: String

  /// The outcome of success without more.
  public static let done = "ok"

  public init(id: String, at: Timestamp, owner: uid_t, method: String, target: String?, outcome: String) {
    (self.id, self.at, self.owner) = (id, at, owner)
    (self.method, self.target, self.outcome) = (method, target, outcome)
  }

  public static let shape = Shape(
    "AuditEntry",
    AuditEntry.init(id:at:owner:method:target:outcome:),
    .required("id", \.id, as: .identifier, "the id by which a list is paged"),
    .required("at", \.at, "when it was done"),
    .required("uid", \.owner, "who did it, or for whom the daemon did"),
    .required(
      "method",
      \.method,
      as: .text(maximum: 64),
      "the method, journey.bind or journey.sign for a key's use, or daemon.… for what the daemon did by itself"
    ),
    .optional("target", \.target, as: .identifier, "the id of the thing that it was about"),
    .required(
      "outcome",
      \.outcome,
      as: .text(maximum: 64),
      "ok, the reason of an error, DENIED_ and the reason of a denial, or how a thing ended otherwise"
    )
  )
}

/// Whether the entries of the audit are those that were recorded, all of them and unchanged.
public struct AuditVerification: ControlObject, Equatable {
  /// How many entries were looked at.
  public var entries: Int
  public var isSound: Bool
  /// The first entry that does not follow from the one before it; of a chain whose end or seal is not right there is
  /// none.
  public var brokenAt: String?

  public init(entries: Int, isSound: Bool, brokenAt: String? = nil) {
    (self.entries, self.isSound, self.brokenAt) = (entries, isSound, brokenAt)
  }

  public static let shape = Shape(
    AuditVerification.init(entries:isSound:brokenAt:),
    .required("entries", \.entries, "how many entries were looked at"),
    .required("ok", \.isSound, "whether they are those that were recorded, all of them and unchanged"),
    .optional(
      "brokenAt",
      \.brokenAt,
      as: .identifier,
      "the first entry that does not follow from the one before it; without one the end or the seal is not right"
    )
  )
}

/// What the audit tells of the calls of a method.
public struct AuditRule<Method: ControlMethod>: Sendable {
  private let target: @Sendable (Method, Method.Result?) -> String?
  private let outcome: @Sendable (Method, Method.Result) -> String?

  /// Calls that are about the thing of an id in their parameters, or about none.
  ///
  /// `outcome` is what is told of a call that succeeded; `nil`: that it did.
  public init(
    target: @escaping @Sendable (Method) -> String? = { _ in nil },
    outcome: @escaping @Sendable (Method, Method.Result) -> String? = { _, _ in nil }
  ) {
    self.target = { method, _ in target(method) }
    self.outcome = outcome
  }

  /// Calls that are about the thing of an id in their result.
  public init(
    made target: @escaping @Sendable (Method.Result) -> String?,
    outcome: @escaping @Sendable (Method, Method.Result) -> String? = { _, _ in nil }
  ) {
    self.target = { $1.flatMap(target) }
    self.outcome = outcome
  }

  /// The id of the thing that a call was about; only ids of things that there are, never other text.
  public func target(_ method: Method?, _ result: Result<Method.Result, RPCError>) -> String? {
    guard !result.isAboutNothing else { return nil }
    return method.flatMap { target($0, try? result.get()) }.flatMap { $0.isIdentifier ? $0 : nil }
  }

  /// How a call ended: an error's reason, or what the rule tells of success.
  public func outcome(_ method: Method?, _ result: Result<Method.Result, RPCError>) -> String {
    switch result {
    case .failure(let error): error.reason
    case .success(let result): method.flatMap { outcome($0, result) } ?? AuditEntry.done
    }
  }
}

extension Result where Failure == RPCError {
  /// Whether what a call named was not understood or not found, and is the caller's text and no id.
  public var isAboutNothing: Bool {
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
