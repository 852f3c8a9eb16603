package import Glibc
package import JSON
package import Time

/// One thing that was done, by a caller or by the daemon itself, and how it ended.
package struct AuditEntry: ControlValue, Equatable {
  package let id: String
  package let at: Timestamp
  /// Who did it, or for whom the daemon did.
  package let owner: uid_t
  /// The method; of what the daemon does by itself a name that no method has.
  package let method: String
  /// The id of the thing that it was about.
  package let target: String?
  /// `ok`, or a reason.
  package let outcome: String

  package init(id: String, at: Timestamp, owner: uid_t, method: String, target: String?, outcome: String) {
    (self.id, self.at, self.owner) = (id, at, owner)
    (self.method, self.target, self.outcome) = (method, target, outcome)
  }

  package static let schema = Schema.named(
    NamedSchema(
      name: "AuditEntry",
      schema: .object([
        .required("id", .identifier), .required("at", .instant), .required("uid", .count),
        .required(
          "method",
          .text(maximum: 64),
          "the method that was called; a name that begins with \"daemon.\" is what the daemon did by itself"
        ),
        .optional("target", .identifier, "the id of the thing that it was about"),
        .required(
          "outcome",
          .text(maximum: 64),
          "ok, the reason of an error, DENIED_ and the reason of a denial, or how a thing ended otherwise"
        ),
      ])
    )
  )

  package var json: JSON {
    var object: JSONObject = [
      "id": .string(id), "at": .string(at.text), "uid": .int(Int(owner)), "method": .string(method),
    ]
    object["target"] = target.map { .string($0) }
    object["outcome"] = .string(outcome)
    return .object(object)
  }
}
