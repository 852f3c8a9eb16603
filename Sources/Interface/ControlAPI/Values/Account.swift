package import Configuration
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
