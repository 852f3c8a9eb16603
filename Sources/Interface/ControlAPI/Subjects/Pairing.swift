public import Configuration
public import JSONRPC
public import Time

public struct PairingPair: ControlMethod {
  public static let name = "pairing.pair"
  public static let access = AccessClass.answer
  public static let summary = "pairs this machine with the user of a pairing key"
  public static let errors: [RPCError] = .pairing + [.bundleID]
  public static let audit: AuditRule<Self>? = AuditRule(made: \.account)
  public static let parameters = Shape(
    PairingPair.init(pairingKey:),
    .required("pairingKey", \.pairingKey, as: .text(maximum: 64), "the key as typed")
  )
  public static var example: Example<Self> {
    Example(PairingPair(pairingKey: "01882778807215"), Samples.paired)
  }

  public typealias Result = PairingInfo

  public let pairingKey: String

  public init(pairingKey: String) { self.pairingKey = pairingKey }
}

public struct PairingList: ControlMethod {
  public static let name = "pairing.list"
  public static let access = AccessClass.read
  public static let summary = "lists the caller's pending pairings"
  public static let errors: [RPCError] = [.keyUnavailable]
  public static let parameters = Shape(PairingList.init)
  public static let envelope: Shape<[PairingRequest]>? = .member("pairings", "the pairings")
  public static var example: Example<Self> { Example(PairingList(), [Samples.pairing]) }

  public init() {}
}

public struct PairingApprove: ControlMethod {
  public static let name = "pairing.approve"
  public static let access = AccessClass.answer
  public static let summary = "approves a pending pairing"
  public static let errors: [RPCError] = .pairing + .presence + [.notFound, .expired]
  public static let audit: AuditRule<Self>? = AuditRule(target: \.pairing)
  public static let parameters = Shape(
    PairingApprove.init(pairing:presence:),
    .required("pairing", \.pairing, as: .identifier, "the pending pairing"),
    PresenceClaim.parameter(\.presence)
  )
  public static var example: Example<Self> { Example(PairingApprove(pairing: "p1"), Samples.paired) }

  public typealias Result = PairingInfo

  public let pairing: String
  public let presence: PresenceClaim?

  public var worksWhileLocked: Bool { presence != nil }

  public init(pairing: String, presence: PresenceClaim? = nil) {
    (self.pairing, self.presence) = (pairing, presence)
  }
}

public struct PairingIgnore: ControlMethod {
  public static let name = "pairing.ignore"
  public static let access = AccessClass.answer
  public static let summary = "discards a pending pairing"
  public static let errors: [RPCError] = [.notFound, .expired, .pairingRunning]
  public static let audit: AuditRule<Self>? = AuditRule(target: \.pairing)
  public static let parameters = Shape(
    PairingIgnore.init(pairing:),
    .required("pairing", \.pairing, as: .identifier, "the pending pairing")
  )
  public static var example: Example<Self> { Example(PairingIgnore(pairing: "p1"), Nothing()) }

  public typealias Result = Nothing

  public let pairing: String

  public init(pairing: String) { self.pairing = pairing }
}

public struct PairingProcessIDToken: ControlMethod {
  public static let name = "pairing.processIdToken"
  public static let access = AccessClass.answer
  public static let summary = "verifies an ID token and returns the pairing that it requests"
  public static let errors: [RPCError] = .platform + [.tokenRejected, .quota, .pairingRunning]
  public static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  public static let parameters = Shape(
    PairingProcessIDToken.init(idToken:nonce:),
    .required("idToken", \.idToken, as: .text(maximum: 65_536), "the ID token, a compact JWS"),
    .optional("nonce", \.nonce, as: .text(maximum: 1024), "the nonce of the authorize request")
  )
  public static let envelope: Shape<PairingRequest?>? = .member(
    "pairing",
    "the pairing; null: nothing to pair"
  )
  public static var example: Example<Self> {
    Example(PairingProcessIDToken(idToken: "eyJ….eyJ….sig"), Samples.pairing)
  }

  public let idToken: String
  public let nonce: String?

  public init(idToken: String, nonce: String? = nil) {
    (self.idToken, self.nonce) = (idToken, nonce)
  }
}

/// A pairing that waits for its owner's decision.
public struct PairingRequest: ControlObject {
  public let id: String
  public let user: User
  public let environment: Environment
  public let geography: Open<Geography>
  public let expiresAt: Timestamp

  public static let shape = Shape(
    "PairingRequest",
    PairingRequest.init(id:user:environment:geography:expiresAt:),
    .required("id", \.id, as: .identifier, "the pairing's id"),
    .required("user", \.user, "the user to pair"),
    .required("environment", \.environment, "the environment of the user"),
    .required("geo", \.geography, "the geography of the platform"),
    .required("expiresAt", \.expiresAt, "the expiry time")
  )
}

extension PairingRequest {
  public init(id: String, user: User, environment: String, geography: Geography, expiresAt: Timestamp) {
    let (environment, geography) = (Environment(id: environment), Open.known(geography))
    self.init(id: id, user: user, environment: environment, geography: geography, expiresAt: expiresAt)
  }
}

/// The result of a pairing.
public struct PairingInfo: ControlObject {
  public let account: String
  public let user: User
  public let authenticators: [PairedAuthenticator]
  public let wantsNickname: Bool

  public init(
    account: String,
    user: User,
    authenticators: [PairedAuthenticator],
    wantsNickname: Bool = false
  ) {
    (self.account, self.user, self.authenticators) = (account, user, authenticators)
    self.wantsNickname = wantsNickname
  }

  public static let shape = Shape(
    "PairingInfo",
    PairingInfo.init(account:user:authenticators:wantsNickname:),
    .required("account", \.account, as: .identifier, "the id of the new account"),
    .required("user", \.user, "the account's user"),
    .required("authenticators", \.authenticators, "the account's authenticators"),
    .optional(
      "promptForNickname",
      \.wantsNickname,
      default: false,
      "true if the organization asks for a nickname; account.rename sets it"
    )
  )
}
