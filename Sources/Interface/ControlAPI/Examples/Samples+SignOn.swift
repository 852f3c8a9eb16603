extension Samples {
  /// The first step of a sign-on, which asks for a name and a password.
  package static var step: Node {
    Node(
      login: "l1",
      outcome: .next,
      method: .signon,
      issuer: session.issuer,
      page: page
    )
  }

  package static func signedOn(by method: LoginMethod) -> Node {
    var node = Node(login: "l1", outcome: .success, method: method, issuer: session.issuer)
    (node.user, node.pairing) = (user, .some(pairing))
    return node
  }

  package static var session: SignOnSession {
    SignOnSession(
      id: "s1",
      issuer: "https://auth.example.com/e-1/as",
      subject: "u-1",
      updatedAt: instant
    )
  }

  private static let page = SignOnPage(
    title: "Sign On",
    collectors: [collector("username", "TextCollector", "Username"), password],
    actions: [
      SignOnPage.Action(key: "usernamePassword.check", label: "Sign On", kind: .submit),
      SignOnPage.Action(key: "password.forgot", label: "Forgot password", kind: .link),
    ]
  )

  private static let password: Collector = {
    var password = collector("password", "PasswordCollector", "Password")
    password.isSecret = true
    return password
  }()

  private static func collector(_ key: String, _ type: String, _ label: String) -> Collector {
    var collector = Collector(key: key, type: type, label: label)
    collector.isRequired = true
    return collector
  }
}
