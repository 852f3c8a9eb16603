package import Configuration
package import JSONRPC
package import Time

package struct PairingPair: ControlMethod {
  package static let name = "pairing.pair"
  package static let access = AccessClass.answer
  package static let summary = "pairs this machine with the user that a pairing key was made for"
  package static let errors: [RPCError] = .pairing + [.bundleID]
  package static let audit: AuditRule<Self>? = AuditRule(made: \.account)
  package static let parameters = Shape(
    PairingPair.init(pairingKey:),
    .required("pairingKey", \.pairingKey, as: .text(maximum: 64), "the key as it was typed")
  )
  package static var example: Example<Self> {
    Example(PairingPair(pairingKey: "01882778807215"), Samples.paired)
  }

  package typealias Result = PairingInfo

  package let pairingKey: String

  package init(pairingKey: String) { self.pairingKey = pairingKey }
}

package struct PairingList: ControlMethod {
  package static let name = "pairing.list"
  package static let access = AccessClass.read
  package static let summary = "lists the pairings that wait for the caller"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(PairingList.init)
  package static let envelope: Shape<[PairingRequest]>? = .member("pairings", "the pairings")
  package static var example: Example<Self> { Example(PairingList(), [Samples.pairing]) }

  package init() {}
}

package struct PairingApprove: ControlMethod {
  package static let name = "pairing.approve"
  package static let access = AccessClass.answer
  package static let summary = "pairs this machine as a waiting pairing asks"
  package static let errors: [RPCError] = .pairing + .presence + [.notFound, .expired]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.pairing)
  package static let parameters = Shape(
    PairingApprove.init(pairing:presence:),
    .required("pairing", \.pairing, as: .identifier, "the waiting pairing"),
    PresenceClaim.parameter(\.presence)
  )
  package static var example: Example<Self> { Example(PairingApprove(pairing: "p1"), Samples.paired) }

  package typealias Result = PairingInfo

  package let pairing: String
  package let presence: PresenceClaim?

  package var worksWhileLocked: Bool { presence != nil }

  package init(pairing: String, presence: PresenceClaim? = nil) {
    (self.pairing, self.presence) = (pairing, presence)
  }
}

package struct PairingIgnore: ControlMethod {
  package static let name = "pairing.ignore"
  package static let access = AccessClass.answer
  package static let summary = "lets a waiting pairing go"
  package static let errors: [RPCError] = [.notFound, .expired, .pairingRunning]
  package static let audit: AuditRule<Self>? = AuditRule(target: \.pairing)
  package static let parameters = Shape(
    PairingIgnore.init(pairing:),
    .required("pairing", \.pairing, as: .identifier, "the waiting pairing")
  )
  package static var example: Example<Self> { Example(PairingIgnore(pairing: "p1"), Nothing()) }

  package typealias Result = Nothing

  package let pairing: String

  package init(pairing: String) { self.pairing = pairing }
}

package struct PairingProcessIDToken: ControlMethod {
  package static let name = "pairing.processIdToken"
  package static let access = AccessClass.answer
  package static let summary = "verifies an ID token and tells what it asks to pair"
  package static let errors: [RPCError] = .platform + [.tokenRejected, .quota, .pairingRunning]
  package static let audit: AuditRule<Self>? = AuditRule(made: { $0?.id })
  package static let parameters = Shape(
    PairingProcessIDToken.init(idToken:nonce:),
    .required("idToken", \.idToken, as: .text(maximum: 65_536), "the ID token, a compact JWS"),
    .optional("nonce", \.nonce, as: .text(maximum: 1024), "the nonce of the authorize request")
  )
  package static let envelope: Shape<PairingRequest?>? = .member(
    "pairing",
    "what there is to pair; null: nothing"
  )
  package static var example: Example<Self> {
    Example(PairingProcessIDToken(idToken: "eyJ….eyJ….sig"), Samples.pairing)
  }

  package let idToken: String
  package let nonce: String?

  package init(idToken: String, nonce: String? = nil) {
    (self.idToken, self.nonce) = (idToken, nonce)
  }
}

/// A pairing that waits for its owner's word.
package struct PairingRequest: ControlObject {
  package let id: String
  package let user: User
  package let environment: Environment
  package let geography: Open<Geography>
  package let expiresAt: Timestamp

  package static let shape = Shape(
    "PairingRequest",
    PairingRequest.init(id:user:environment:geography:expiresAt:),
    .required("id", \.id, as: .identifier, "what requests name it by"),
    .required("user", \.user, "who would be paired"),
    .required("environment", \.environment, "the environment of the user"),
    .required("geo", \.geography, "where the platform is"),
    .required("expiresAt", \.expiresAt, "when it is over")
  )
}

extension PairingRequest {
  package init(id: String, user: User, environment: String, geography: Geography, expiresAt: Timestamp) {
    let (environment, geography) = (Environment(id: environment), Open.known(geography))
    self.init(id: id, user: user, environment: environment, geography: geography, expiresAt: expiresAt)
  }
}

/// The outcome of a pairing.
package struct PairingInfo: ControlObject {
  package let account: String
  package let user: User
  package let authenticators: [PairedAuthenticator]
  package let wantsNickname: Bool

  package init(
    account: String,
    user: User,
    authenticators: [PairedAuthenticator],
    wantsNickname: Bool = false
  ) {
    (self.account, self.user, self.authenticators) = (account, user, authenticators)
    self.wantsNickname = wantsNickname
  }

  package static let shape = Shape(
    "PairingInfo",
    PairingInfo.init(account:user:authenticators:wantsNickname:),
    .required("account", \.account, as: .identifier, "the id of the account that it made"),
    .required("user", \.user, "whose account it is"),
    .required("authenticators", \.authenticators, "what was set up"),
    .optional(
      "promptForNickname",
      \.wantsNickname,
      default: false,
      "the organization wants a name of this machine; account.rename gives it"
    )
  )
}
