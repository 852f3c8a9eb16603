internal import ControlAPI
internal import CourierProtocol
internal import JSON
internal import JSONRPC
internal import WebAddress

// PingOne's "Error codes". The class of the status counts first, since codes within one change.

extension RPCError {
  /// What a refusal of a user's request means, with what an administrator can do about it; `making` says that it was to
  /// make a device.
  init(refusedBy response: CourierResponse, _ document: JSON, making: Bool, at origin: Origin? = nil) {
    let details = document["details"]?.array ?? []
    let codes = ([document] + details).compactMap { $0["code"]?.string }
    switch response.status {
    case 403: self = .scopeRefused([])
    case 404: self = .noSuch("device")
    case 409 where making: self = .secondDevice
    // What asks for patience says for how long; a tenant that is full does not.
    case 429 where making && response.values(of: "Retry-After").isEmpty: self = .deviceLimit
    case 429: self = .rateLimited
    case 400..<500 where making && codes.contains("LIMIT_EXCEEDED"): self = .deviceLimit
    case 400..<500 where making && codes.contains("UNIQUENESS_VIOLATION"): self = .secondDevice
    case 400..<500 where details.contains { $0["target"]?.string == "otp" }: self = .passcodeNotVerified
    case 400..<500 where details.contains { $0["code"] == "INVALID_VALUE" && $0["target"]?.string == "type" }:
      self = .passcodesDisabled
    default: self = .serverError.because(.http, status: response.status, at: origin)
    }
  }

  /// The tenant did not grant what is needed to the application that signed on.
  static func scopeRefused(_ scopes: [String]) -> RPCError {
    let named = scopes.isEmpty ? "the scopes p1:…:device" : scopes.joined(separator: " ")
    return .scopeNotGranted.with(["scopes": .strings(scopes)])
      .saying(
        "the application may not use \(named): an administrator can grant that, for the resource PingOne API"
      )
  }

  private static let deviceLimit = RPCError.policyRefuses.with(["policy": "maxAllowedDevices"])
    .saying(
      "the user has as many devices as the tenant allows: remove one, or have an administrator allow more"
    )
  private static let secondDevice = RPCError.conflict
    .saying("the user has an authenticator app already, and PingOne allows one: remove that device first")
  private static let passcodesDisabled = RPCError.policyRefuses.with(["policy": "totp"])
    .saying("the tenant takes no authenticator apps: an administrator enables them in the MFA policy")
}
