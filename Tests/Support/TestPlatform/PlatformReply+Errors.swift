internal import Configuration
internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import PingOne
internal import PlatformWire

extension PlatformReply {
  /// The reply for an error that a test sets.
  ///
  /// Rethrows an error that has no reply of the platform.
  init(_ error: PlatformError) throws(PlatformError) {
    switch error {
    case .unreachable, .failed: throw error
    case .unknownKey: self.init()
    case .clockOff: self.init(401, ["code": "CLOCK_SKEW"])
    case .deviceUnknown: self = .deviceUnknown
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
