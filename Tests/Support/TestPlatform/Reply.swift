internal import Configuration
internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import PingOne
internal import Time

/// What the platform says to a question, before it is sealed.
struct Reply {
  var status = 200
  var body: JSON = [:]
  var issuedAt: Timestamp?

  init(_ status: Int = 200, _ body: JSON = [:]) { (self.status, self.body) = (status, body) }

  /// What the platform says when it does not do what it was asked.
  init(_ error: PlatformError) throws(PlatformError) {
    switch error {
    // These are no answers of a platform, or an answer by a key that is not its own.
    case .unreachable, .failed: throw error
    case .unknownKey: self.init()
    case .clockOff: self.init(401, ["code": "CLOCK_SKEW"])
    case .deviceUnknown: self.init(401, ["code": "DEVICE_UNKNOWN"])
    case .elsewhere(let geography): self.init(421, ["geo": .string(geography.rawValue)])
    case .refused(let error):
      var body = error.details
      body["code"] = .string(Self.codes.first { $0.error.code == error.code }?.code ?? "INVALID_REQUEST")
      self.init(error.code == RPCError.accountLocked.code ? 403 : 400, .object(body))
    }
  }

  private static let codes: [(error: RPCError, code: String)] = [
    (.accountLocked, "ACCOUNT_LOCKED"), (.authenticationCode, "AUTHENTICATION_CODE_INVALID"),
    (.bundleID, "BUNDLE_ID"), (.deviceMismatch, "DEVICE_MISMATCH"),
    (.deviceRequirements, "FAILED_DEVICE_REQUIREMENTS_EVALUATION"),
    (.failedPolicy, "FAILED_POLICY_REQUIREMENTS"), (.pairingKey, "INVALID_PAIRING_KEY"),
  ]
}
