public import Configuration
internal import JSON
public import Time

/// What makes passcodes or answers requests for its owner.
public struct Account: ControlObject {
  public enum Kind: String, ControlChoice {
    case pingOne = "PINGONE"
    case pingOneTOTP = "PINGONE_TOTP"
    case oath = "OATH"
    case pushAM = "PUSH_AM"
    case passkey = "PASSKEY"
  }

  public enum State: String, ControlChoice {
    case active, activating
    /// Its platform does not know it any more.
    case revoked
    /// Its owner removed it; only an event says this.
    case removed
  }

  public let id: String
  public let kind: Open<Kind>
  public let geography: Open<Geography>?
  public let environment: Environment?
  public let user: User?
  public let issuer: String?
  public let label: String
  public var nickname: String?
  public let authenticators: [PairedAuthenticator]
  public let passkey: Passkey?
  public let isLocked: Bool
  public let lock: AccountLock?
  public let hasWeakSecret: Bool
  public let createdAt: Timestamp
  public let state: Open<State>

  public static let shape = Shape(
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
  public var impersonal: Account {
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

  public init(
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
public struct PairedAuthenticator: ControlObject, Equatable {
  public let type: String
  public let status: String
  public var errorCode: String?
  public var errorMessage: String?

  public init(type: String, status: String, errorCode: String? = nil, errorMessage: String? = nil) {
    (self.type, self.status, self.errorCode, self.errorMessage) = (type, status, errorCode, errorMessage)
  }

  public static let shape = Shape(
    PairedAuthenticator.init(type:status:errorCode:errorMessage:),
    .required("type", \.type, as: .choice(["PUSH", "OTP", "PASSKEY"]), "what it does"),
    .required("status", \.status, as: .choice(["COMPLETED", "FAILED"]), "whether it was set up"),
    .optional("errorCode", \.errorCode, "why it failed, by the native SDK's name"),
    .optional("errorMessage", \.errorMessage, "why it failed, for a person")
  )
}

/// Why an account takes no answers, and until when.
public struct AccountLock: ControlObject, Equatable {
  public let policy: String
  public let expiresAt: Timestamp?

  public init(policy: String, expiresAt: Timestamp?) {
    (self.policy, self.expiresAt) = (policy, expiresAt)
  }

  public static let shape = Shape(
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
public struct User: ControlObject, Equatable {
  public struct Name: ControlObject, Equatable {
    public var given: String?
    public var family: String?

    public static let shape = Shape(
      Name.init(given:family:),
      .optional("given", \.given, "the given name"),
      .optional("family", \.family, "the family name")
    )
  }

  public let id: String
  /// The name to sign on with.
  public var username: String?
  public var email: String?
  public var name: Name?

  public static let shape = Shape(
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
  public var impersonal: User { User(id: id) }

  public init(
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
public struct Environment: ControlObject, Equatable {
  public let id: String

  public init(id: String) { self.id = id }

  public static let shape = Shape(
    Environment.init(id:),
    .required("id", \.id, as: .identifier, "the environment's id")
  )
}
