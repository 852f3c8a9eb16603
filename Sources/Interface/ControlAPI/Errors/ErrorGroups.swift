package import JSONRPC

// What kinds of calls can end with, beside what any call can.

extension [RPCError] {
  /// What has to ask the platform for the caller.
  package static let platform: [RPCError] = [
    .notConfigured, .notPaired, .keyUnavailable, .noConnectivity, .serverError, .trustFailed,
    .clockSkew,
  ]

  package static let pairing: [RPCError] =
    platform + [
      .failedPolicy, .deviceRequirements, .passcodeNotVerified, .pairingRunning, .pairingKey, .quota,
    ]

  /// What decides a push.
  package static let decision: [RPCError] =
    platform + [
      .notFound, .alreadyAnswered, .pushTimeout, .cancelled, .accountLocked, .deviceMismatch,
      .deviceRequirements, .failedPolicy,
    ]

  /// What tries a PIN.
  package static let pin: [RPCError] = [.pinWrong, .pinDisabled, .keyUnavailable]

  /// What may want the person verified.
  package static let presence: [RPCError] = [.presenceRequired, .presenceFailed, .pinDisabled]

  package static let signOn: [RPCError] =
    pairing + [.notFound, .conflict, .tokenRejected]

  package static let session: [RPCError] = [
    .notFound, .notConfigured, .keyUnavailable, .noConnectivity, .serverError,
  ]
}
