public import JSONRPC

// The errors of the native SDK, by its codes and names.

extension RPCError {
  public static let internalFailure = RPCError(
    10000,
    "INTERNAL_ERROR",
    "an internal error occurred",
    hint: "the daemon's journal says more: \"journalctl -u mfad\""
  )
  public static let deviceTokenMissing = RPCError(
    10001,
    "DEVICE_TOKEN_IS_MISSING",
    "this provider of pushes needs a token",
    hint: "give one, or choose another way for the pushes to come"
  )
  public static let unrecognizedNotification = RPCError(
    10002,
    "UNRECOGNIZED_REMOTE_NOTIFICATION",
    "this is not a notification from PingOne",
    hint: "only what came as a push from the platform can be taken"
  )
  public static let serverError = RPCError(
    10003,
    "SERVER_ERROR",
    "the platform failed",
    retry: true,
    exit: .platformUnreachable,
    hint: "look at \"authctl status\" and at the daemon's journal",
    causes: .causes(.http, .malformed, .notPlatform, .discovery, .issuerMismatch)
  )
  public static let noConnectivity = RPCError(
    10004,
    "NO_CONNECTIVITY",
    "the platform cannot be reached",
    retry: true,
    exit: .platformUnreachable,
    hint: "look at \"authctl status\"; passcodes work without the platform",
    causes: .causes(.dns, .refused, .timeout, .tls, .brokenOff, .notAllowed, .courierUnavailable)
  )
  /// Malformed, unknown, used or expired: which of them, nobody is told.
  public static let pairingKey = RPCError(
    10005,
    "PAIRING_KEY",
    "the pairing key is not valid",
    exit: .rejected,
    hint: "a pairing key works once and not for long: ask for a new one"
  )
  public static let bundleID = RPCError(
    10006,
    "BUNDLE_ID",
    "the pairing key is for another application",
    hint: "ask for a pairing key for this application; \"app_id\" in mfad.conf names it"
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
    "the time to answer this request is over",
    exit: .expired,
    hint: "start the sign-on again"
  )
  public static let passcodeNotVerified = RPCError(
    10010,
    "PASSCODE_NOT_VERIFIED",
    "the platform did not accept the passcode",
    hint: "see that the clock is right (\"timedatectl\"), then try again"
  )
  /// Malformed, unknown or expired: which of them, nobody is told.
  public static let authenticationCode = RPCError(
    10011,
    "AUTHENTICATION_CODE_INVALID",
    "the authentication code is not valid",
    exit: .rejected,
    hint: "a code counts once and not for long: have another one shown"
  )
  public static let failedPolicy = RPCError(
    10012,
    "FAILED_POLICY_REQUIREMENTS",
    "a policy of the organization does not allow this",
    hint: "ask an administrator of the organization which policy it is"
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
    "a test of the pushes is already running",
    retry: true,
    hint: "wait until it ends"
  )
  public static let trustFailed = RPCError(
    10017,
    "TRUST_FAILED",
    "trust with the platform could not be established",
    hint: "look at \"platform\" and \"platform_key\" in mfad.conf",
    causes: .causes(.notPinned, .notPlatform, .http, .noPlatform)
  )
  public static let notConfigured = RPCError(
    10018,
    "CONFIGURE_ERROR",
    "this authenticator is not configured yet",
    exit: .notConfigured,
    hint: "\"authctl configure GEO\" chooses the geography; \"authctl setup\" asks for what mfad.conf lacks",
    causes: .causes(.noPlatform, .noClientID)
  )
  public static let cannotUpdateGeography = RPCError(
    10019,
    "CANNOT_UPDATE_GEO",
    "another geography is configured already",
    hint: "\"authctl status\" shows the chosen one; \"authctl reset\" erases it and everything else of yours"
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
    "this attempt was begun on another device",
    hint: "answer it on the device on which it began"
  )
  public static let deviceRequirements = RPCError(
    10024,
    "FAILED_DEVICE_REQUIREMENTS_EVALUATION",
    "this machine does not meet the organization's requirements",
    hint: "what the organization hears of this machine is shown by \"authctl status\""
  )

  static let ofNativeSDK: [RPCError] = [
    internalFailure, deviceTokenMissing, unrecognizedNotification, serverError, noConnectivity, pairingKey,
    bundleID, notPaired, pushTimeout, passcodeNotVerified, authenticationCode, failedPolicy, pairingRunning,
    pushTestRunning, trustFailed, notConfigured, cannotUpdateGeography, cancelled, deviceMismatch,
    deviceRequirements,
  ]

  /// Errors of the native SDK that no method gives: their codes and names stay free for them.
  ///
  /// A pairing key of another geography (10007) is paired there; what the others are about exists on telephones only.
  public static let reserved: [RPCError] = [
    RPCError(10007, "PAIRING_KEY_DATA_CENTER_MISMATCH", "the pairing key belongs to another geography"),
    RPCError(10014, "MIGRATION_ALREADY_RUNNING", "a migration is already running", retry: true),
    RPCError(10015, "MIGRATION_NOT_NEEDED", "there is nothing to migrate"),
    RPCError(10021, "UNPAIR_ALREADY_RUNNING", "an unpairing is already running", retry: true),
    RPCError(10022, "INTERNAL_USAGE", "this is for internal use only"),
  ]
}

extension RPCError {
  /// Whether its code and name are the native SDK's.
  public var isOfNativeSDK: Bool { (10_000...10_024).contains(code) }
}
