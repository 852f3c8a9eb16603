package import Glibc
package import Time

/// One thing that was done, by a caller or by the daemon itself, and how it ended.
package struct AuditEntry: ControlObject, Equatable {
  package let id: String
  package let at: Timestamp
  package let owner: uid_t
  package let method: String
  package let target: String?
  package let outcome: String

  /// The outcome of success without more.
  package static let done = "ok"

  package init(id: String, at: Timestamp, owner: uid_t, method: String, target: String?, outcome: String) {
    (self.id, self.at, self.owner) = (id, at, owner)
    (self.method, self.target, self.outcome) = (method, target, outcome)
  }

  package static let shape = Shape(
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
