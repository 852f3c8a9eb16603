/// A person, as the platform knows them.
package struct User: ControlObject, Equatable {
  package struct Name: ControlObject, Equatable {
    package var given: String?
    package var family: String?

    package static let shape = Shape(
      Name.init(given:family:),
      .optional("given", \.given, "the given name"),
      .optional("family", \.family, "the family name")
    )
  }

  package let id: String
  /// The name to sign on with.
  package var username: String?
  package var email: String?
  package var name: Name?

  package static let shape = Shape(
    "User",
    User.init(id:username:email:name:),
    .required("id", \.id, as: .text(maximum: 255), "the id at the issuer or within the environment"),
    .optional("username", \.username, "the name to sign on with"),
    .optional("email", \.email, "the address of e-mail"),
    .optional("name", \.name, "what the person is called")
  )
}

extension User {
  /// What is left of a person where what is personal is left out.
  package var impersonal: User { User(id: id) }

  package init(
    id: String,
    username: String? = nil,
    email: String? = nil,
    given: String? = nil,
    family: String? = nil
  ) {
    let name = given == nil && family == nil ? nil : Name(given: given, family: family)
    self.init(id: id, username: username, email: email, name: name)
  }
}
