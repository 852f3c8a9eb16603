package import JSON
package import JSONRPC

package struct LoginNext: ControlMethod {
  package static let name = "login.next"
  package static let access = AccessClass.answer
  package static let summary =
    "goes on with a step of a sign-on; one that only waits is gone on with without values"
  package static let errors: [RPCError] =
    .signOn + .presence + [.expired, .ambiguous, .policyRefuses, .originRefused]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.login, outcome: { $1.remarkableOutcome })
  package static let parameters = Shape(
    LoginNext.init(login:values:action:presence:),
    .required("login", \.login, as: .identifier, "the sign-on"),
    .optional(
      "values",
      \.values,
      default: JSONObject(),
      "the inputs by the keys of the step's collectors; {\"passcode\": ACCOUNT} as one: a passcode of this machine"
    ),
    .optional("action", \.action, as: .text(maximum: 256), "how to go on; absent: the first of kind submit"),
    PresenceClaim.parameter(\.presence)
  )
  package static var example: Example<Self> {
    Example(
      LoginNext(login: "l1", values: ["username": "ann", "password": "…"]),
      Samples.signedOn(by: .signon)
    )
  }

  package typealias Result = Node

  package let login: String
  package let values: JSONObject
  package let action: String?
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(
    login: String,
    values: JSONObject = [:],
    action: String? = nil,
    presence: PresenceClaim? = nil
  ) {
    (self.login, self.values, self.action, self.presence) = (login, values, action, presence)
  }
}
