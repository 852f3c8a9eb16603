package import JSON

/// A person, as the platform knows them.
package struct User: ControlValue, Equatable {
  /// The id within the environment.
  package let id: String
  /// The name to sign on with.
  package var username: String?
  package var email: String?
  package var given: String?
  package var family: String?

  /// A user with what is known of them.
  package init(
    id: String,
    username: String? = nil,
    email: String? = nil,
    given: String? = nil,
    family: String? = nil
  ) {
    (self.id, self.username, self.email, self.given, self.family) = (id, username, email, given, family)
  }

  package static let schema = Schema.named(NamedSchema(name: "User", schema: .object(properties)))

  /// What an object has that tells of a user among other things.
  static let properties: [Property] = [
    .required("id", .identifier), .optional("username", .text(maximum: 800)),
    .optional("email", .text(maximum: 800)),
    .optional(
      "name",
      .object([.optional("given", .text(maximum: 800)), .optional("family", .text(maximum: 800))])
    ),
  ]

  /// The user with the members that are known.
  package var json: JSON {
    var object: JSONObject = ["id": .string(id)]
    object["username"] = username.map { .string($0) }
    object["email"] = email.map { .string($0) }
    var name = JSONObject()
    name["given"] = given.map { .string($0) }
    name["family"] = family.map { .string($0) }
    if !name.isEmpty { object["name"] = .object(name) }
    return .object(object)
  }
}
