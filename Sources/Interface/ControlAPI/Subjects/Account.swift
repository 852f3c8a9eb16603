package import Configuration
internal import JSON
package import Time

/// What makes passcodes or answers requests for its owner.
package struct Account: ControlObject {
  package enum Kind: String, ControlChoice {
    case pingOne = "PINGONE"
    case pingOneTOTP = "PINGONE_TOTP"
    case oath = "OATH"
    case pushAM = "PUSH_AM"
    case passkey = "PASSKEY"
  }

  package enum State: String, ControlChoice {
    case active, activating
    /// Its platform does not know it any more.
    case revoked
    /// Its owner removed it; only an event says this.
    case removed
  }

  package let id: String
  package let kind: Open<Kind>
  package let geography: Open<Geography>?
  package let environment: Environment?
  package let user: User?
  package let issuer: String?
  package let label: String
  package var nickname: String?
  package let authenticators: [PairedAuthenticator]
  package let passkey: Passkey?
  package let isLocked: Bool
  package let lock: AccountLock?
  package let hasWeakSecret: Bool
  package let createdAt: Timestamp
  package let state: Open<State>

  package static let shape = Shape(
    "Account",
    Account.init,
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("kind", \.kind, "whose rules it follows"),
    .optional("geo", \.geography, "where its platform is"),
    .optional("environment", \.environment, "the environment of its user"),
    .optional("user", \.user, "whose account it is"),
    .optional("issuer", \.issuer, "who set it up, where that is no environment"),
    .required("label", \.label, "what it is called without a nickname"),
    .optional("nickname", \.nickname, "what its owner calls it"),
    .required("authenticators", \.authenticators, "what was set up"),
    .optional("passkey", \.passkey, "the credential of an account of kind PASSKEY"),
    .required("locked", \.isLocked, "the platform takes no decisions from it now"),
    .optional("lock", \.lock, "the policy that locked it"),
    .optional("weakSecret", \.hasWeakSecret, default: false, "its secret has fewer than 128 bits"),
    .required("createdAt", \.createdAt, "when it was set up"),
    .optional("state", \.state, default: .known(.active), "whether it can be used")
  )
}

extension Account {
  /// The account where what is personal is left out: its names, and those of its user.
  package var impersonal: Account {
    Account(
      id: id,
      kind: kind,
      geography: geography,
      environment: environment,
      user: user?.impersonal,
      issuer: nil,
      label: "",
      nickname: nil,
      authenticators: authenticators,
      passkey: nil,
      isLocked: isLocked,
      lock: lock,
      hasWeakSecret: hasWeakSecret,
      createdAt: createdAt,
      state: state
    )
  }

  package init(
    id: String,
    kind: Kind = .pingOne,
    geography: Geography? = nil,
    environment: String? = nil,
    user: User? = nil,
    issuer: String? = nil,
    label: String,
    nickname: String?,
    authenticators: [PairedAuthenticator],
    passkey: Passkey? = nil,
    lock: AccountLock?,
    hasWeakSecret: Bool = false,
    createdAt: Timestamp,
    state: State
  ) {
    self.init(
      id: id,
      kind: .known(kind),
      geography: geography.map(Open.known),
      environment: environment.map(Environment.init(id:)),
      user: user,
      issuer: issuer,
      label: label,
      nickname: nickname,
      authenticators: authenticators,
      passkey: passkey,
      isLocked: lock != nil,
      lock: lock,
      hasWeakSecret: hasWeakSecret,
      createdAt: createdAt,
      state: .known(state)
    )
  }
}

extension Geography: ControlChoice {}

/// One way to authenticate that a pairing set up, or did not.
package struct PairedAuthenticator: ControlObject, Equatable {
  package let type: String
  package let status: String
  package var errorCode: String?
  package var errorMessage: String?

  package init(type: String, status: String, errorCode: String? = nil, errorMessage: String? = nil) {
    (self.type, self.status, self.errorCode, self.errorMessage) = (type, status, errorCode, errorMessage)
  }

  package static let shape = Shape(
    PairedAuthenticator.init(type:status:errorCode:errorMessage:),
    .required("type", \.type, as: .choice(["PUSH", "OTP", "PASSKEY"]), "what it does"),
    .required("status", \.status, as: .choice(["COMPLETED", "FAILED"]), "whether it was set up"),
    .optional("errorCode", \.errorCode, "why it failed, by the native SDK's name"),
    .optional("errorMessage", \.errorMessage, "why it failed, for a person")
  )
}

/// Why an account takes no answers, and until when.
package struct AccountLock: ControlObject, Equatable {
  package let policy: String
  package let expiresAt: Timestamp?

  package init(policy: String, expiresAt: Timestamp?) {
    (self.policy, self.expiresAt) = (policy, expiresAt)
  }

  package static let shape = Shape(
    "AccountLock",
    AccountLock.init(policy:expiresAt:),
    .required("policy", \.policy, "what the platform calls the policy"),
    .optional("expiresAt", \.expiresAt, "when it opens; without it when somebody opens it")
  )

  /// What the error of an account that is locked tells of it.
  var details: JSONObject {
    var object: JSONObject = ["policy": .string(policy)]
    object["expiresAt"] = expiresAt.map { .string($0.text) }
    return object
  }
}

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

/// An environment of PingOne, which users belong to.
package struct Environment: ControlObject, Equatable {
  package let id: String

  package init(id: String) { self.id = id }

  package static let shape = Shape(
    Environment.init(id:),
    .required("id", \.id, as: .identifier, "the environment's id")
  )
}
