public import Configuration
internal import JSON
public import Time

/// An account, which makes passcodes or answers requests for its owner.
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
    /// The platform no longer knows the account.
    case revoked
    /// The owner removed the account. Only events report this state.
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
    .required("id", \.id, as: .identifier, "the account's id"),
    .required("kind", \.kind, "the kind of the account"),
    .optional("geo", \.geography, "the geography of its platform"),
    .optional("environment", \.environment, "the environment of its user"),
    .optional("user", \.user, "the account's user"),
    .optional("issuer", \.issuer, "the issuer, if it is not an environment"),
    .required("label", \.label, "the name without a nickname"),
    .optional("nickname", \.nickname, "the name that its owner chose"),
    .required("authenticators", \.authenticators, "the account's authenticators"),
    .optional("passkey", \.passkey, "the credential of an account of kind PASSKEY"),
    .required("locked", \.isLocked, "true if the platform rejects its decisions now"),
    .optional("lock", \.lock, "the policy that locked it"),
    .optional("weakSecret", \.hasWeakSecret, default: false, "true if its secret has fewer than 128 bits"),
    .required("createdAt", \.createdAt, "the creation time"),
    .optional("state", \.state, default: .known(.active), "the account's state")
  )
}

extension Account {
  /// The account without personal data, that is, without its own names and without its user's names.
  ///
  /// Only the device service gives its users random ids. The id of a user at another server may be a name.
  public var impersonal: Account {
    Account(
      id: id,
      kind: kind,
      geography: geography,
      environment: environment,
      user: kind == .known(.pingOne) ? user?.impersonal : nil,
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

/// An authenticator of an account, with the result of its setup.
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
    .required("type", \.type, as: .choice(["PUSH", "OTP", "PASSKEY"]), "the authenticator's type"),
    .required("status", \.status, as: .choice(["COMPLETED", "FAILED"]), "the result of its setup"),
    .optional("errorCode", \.errorCode, "the error, by the native SDK's name"),
    .optional("errorMessage", \.errorMessage, "the error message for the user")
  )
}

/// The policy that locks an account, and the end of the lock.
public struct AccountLock: ControlObject, Equatable {
  public let policy: String
  public let expiresAt: Timestamp?

  public init(policy: String, expiresAt: Timestamp?) {
    (self.policy, self.expiresAt) = (policy, expiresAt)
  }

  public static let shape = Shape(
    "AccountLock",
    AccountLock.init(policy:expiresAt:),
    .required("policy", \.policy, "name of the policy at the platform"),
    .optional("expiresAt", \.expiresAt, "the end of the lock; absent: no automatic end")
  )

  /// The details of the error `ACCOUNT_LOCKED`.
  var details: JSONObject {
    var object: JSONObject = ["policy": .string(policy)]
    object["expiresAt"] = expiresAt.map { .string($0.text) }
    return object
  }
}

/// A user of the platform.
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
  /// The sign-on name.
  public var username: String?
  public var email: String?
  public var name: Name?

  public static let shape = Shape(
    "User",
    User.init(id:username:email:name:),
    .required("id", \.id, as: .text(maximum: 255), "the id at the issuer or within the environment"),
    .optional("username", \.username, "the sign-on name"),
    .optional("email", \.email, "the e-mail address"),
    .optional("name", \.name, "the user's name")
  )
}

extension User {
  /// The user without personal data: only the id.
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

/// A PingOne environment, to which users belong.
public struct Environment: ControlObject, Equatable {
  public let id: String

  public init(id: String) { self.id = id }

  public static let shape = Shape(
    Environment.init(id:),
    .required("id", \.id, as: .identifier, "the environment's id")
  )
}
