package import Time

/// A discoverable WebAuthn credential.
package struct Passkey: ControlObject, Equatable {
  package let relyingParty: String
  package let userName: String
  package let userDisplayName: String?
  package let lastUsedAt: Timestamp?

  package static let shape = Shape(
    Passkey.init(relyingParty:userName:userDisplayName:lastUsedAt:),
    .required("rpId", \.relyingParty, "the id of the relying party that it is for"),
    .required("userName", \.userName, "the relying party's name of the user"),
    .optional("userDisplayName", \.userDisplayName, "what the relying party calls the user"),
    .optional("lastUsedAt", \.lastUsedAt, "when it was used last")
  )
}
