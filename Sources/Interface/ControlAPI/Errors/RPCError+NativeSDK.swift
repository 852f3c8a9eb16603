public import JSONRPC

// The errors of the native SDK, with its codes and names.

extension RPCError {
  public static let internalFailure = RPCError(
    10000,
    "INTERNAL_ERROR",
    "an internal error occurred",
    hint: "\"journalctl -u mfad\" shows more"
  )
  public static let deviceTokenMissing = RPCError(
    10001,
    "DEVICE_TOKEN_IS_MISSING",
    "this push provider requires a token",
    hint: "\"authctl push-token PROVIDER\" asks for it; POLL requires none"
  )
  public static let unrecognizedNotification = RPCError(
    10002,
    "UNRECOGNIZED_REMOTE_NOTIFICATION",
    "this is not a notification from PingOne",
    hint: "pass the push exactly as the platform sent it"
  )
  public static let serverError = RPCError(
    10003,
    "SERVER_ERROR",
    "the platform failed",
    retry: true,
    exit: .platformUnreachable,
    hint: "\"authctl status\" and \"journalctl -u mfad\" show more",
    causes: .causes(.http, .malformed, .notPlatform, .discovery, .issuerMismatch)
  )
  public static let noConnectivity = RPCError(
    10004,
    "NO_CONNECTIVITY",
    "the platform cannot be reached",
    retry: true,
    exit: .platformUnreachable,
    hint: "\"authctl status\" shows more; passcodes work without the platform",
    causes: .causes(.dns, .refused, .timeout, .tls, .brokenOff, .notAllowed, .courierUnavailable)
  )
  /// The pairing key is malformed, unknown, used or expired; the error does not say which.
  public static let pairingKey = RPCError(
    10005,
    "PAIRING_KEY",
    "the pairing key is not valid",
    exit: .rejected,
    hint: "a pairing key is valid once and for a short time; request a new one"
  )
  public static let bundleID = RPCError(
    10006,
    "BUNDLE_ID",
    "the pairing key is for another application",
    hint: "request a pairing key for this application; \"app_id\" in mfad.conf names it"
  )
  public static let notPaired = RPCError(
    10008,
    "DEVICE_IS_NOT_PAIRED",
    "this machine is not paired",
    exit: .notConfigured,
    hint: "pair this machine with \"authctl login\" or \"authctl pair\""
  )
  public static let pushTimeout = RPCError(
    10009,
    "PUSH_CONFIRMATION_TIMEOUT",
    "the time to answer this request has expired",
    exit: .expired,
    hint: "start the sign-on again"
  )
  public static let passcodeNotVerified = RPCError(
    10010,
    "PASSCODE_NOT_VERIFIED",
    "the platform did not accept the passcode",
    hint: "check the clock with \"timedatectl\", then try again"
  )
  /// The code is malformed, unknown or expired; the error does not say which.
  public static let authenticationCode = RPCError(
    10011,
    "AUTHENTICATION_CODE_INVALID",
    "the authentication code is not valid",
    exit: .rejected,
    hint: "a code is valid once and for a short time; display a new one"
  )
  public static let failedPolicy = RPCError(
    10012,
    "FAILED_POLICY_REQUIREMENTS",
    "a policy of the organization does not allow this",
    hint: "ask an administrator of the organization for the policy"
  )
  public static let pairingRunning = RPCError(
    10013,
    "PAIRING_ALREADY_RUNNING",
    "a pairing is already running",
    retry: true,
    hint: "wait until it ends; \"authctl pairings\" shows it"
  )
  public static let pushTestRunning = RPCError(
    10016,
    "TEST_REMOTE_NOTIFICATION_ALREADY_RUNNING",
    "a push test is already running",
    retry: true,
    hint: "wait until it ends"
  )
  public static let trustFailed = RPCError(
    10017,
    "TRUST_FAILED",
    "trust with the platform could not be established",
    hint: "check \"platform\" and \"platform_key\" in mfad.conf",
    causes: .causes(.notPinned, .notPlatform, .http, .noPlatform)
  )
  public static let notConfigured = RPCError(
    10018,
    "CONFIGURE_ERROR",
    "this authenticator is not configured yet",
    exit: .notConfigured,
    hint: "\"authctl configure GEO\" chooses the geography; \"authctl setup\" completes mfad.conf",
    causes: .causes(.noPlatform, .noClientID)
  )
  public static let cannotUpdateGeography = RPCError(
    10019,
    "CANNOT_UPDATE_GEO",
    "another geography is configured already",
    hint: "\"authctl status\" shows it; \"authctl reset\" erases it and all your other data here"
  )
  public static let cancelled = RPCError(
    10020,
    "AUTH_CANCEL",
    "this request was cancelled",
    exit: .answeredElsewhere,
    hint: "start the sign-on again if it was yours"
  )
  public static let deviceMismatch = RPCError(
    10023,
    "DEVICE_MISMATCH",
    "this sign-on was started on another device",
    hint: "answer it on that device"
  )
  public static let deviceRequirements = RPCError(
    10024,
    "FAILED_DEVICE_REQUIREMENTS_EVALUATION",
    "this machine does not meet the organization's requirements",
    hint: "\"authctl status\" shows the data that the organization gets about this machine"
  )

  static let ofNativeSDK: [RPCError] = [
    internalFailure, deviceTokenMissing, unrecognizedNotification, serverError, noConnectivity, pairingKey,
    bundleID, notPaired, pushTimeout, passcodeNotVerified, authenticationCode, failedPolicy, pairingRunning,
    pushTestRunning, trustFailed, notConfigured, cannotUpdateGeography, cancelled, deviceMismatch,
    deviceRequirements,
  ]

  /// Errors of the native SDK that no method returns, with reserved codes and names.
  ///
  /// 10007 does not occur, because a pairing key of another geography is paired in that geography. The other
  /// errors occur only on phones.
  public static let reserved: [RPCError] = [
    RPCError(10007, "PAIRING_KEY_DATA_CENTER_MISMATCH", "the pairing key belongs to another geography"),
    RPCError(10014, "MIGRATION_ALREADY_RUNNING", "a migration is already running", retry: true),
    RPCError(10015, "MIGRATION_NOT_NEEDED", "there is nothing to migrate"),
    RPCError(10021, "UNPAIR_ALREADY_RUNNING", "an unpairing is already running", retry: true),
    RPCError(10022, "INTERNAL_USAGE", "this is for internal use only"),
  ]
}

extension RPCError {
  /// True if the native SDK defines its code and name.
  public var isOfNativeSDK: Bool { (10_000...10_024).contains(code) }
}
