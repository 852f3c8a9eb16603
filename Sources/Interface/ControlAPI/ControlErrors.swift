internal import JSON
package import JSONRPC

// Every error of the interface beyond JSON-RPC's own, by its section 4. The codes up to 10024 are those of the
// native SDK; this file is the only place in which a code stands.

extension RPCError {
  // MARK: The native SDK's

  /// Something failed that should not.
  package static let internalFailure = RPCError(10000, "INTERNAL_ERROR", "an internal error occurred")
  /// Pushes are to come by a provider whose token is missing.
  package static let deviceTokenMissing = RPCError(
    10001,
    "DEVICE_TOKEN_IS_MISSING",
    "this provider of pushes needs a token"
  )
  /// A push did not come from PingOne.
  package static let unrecognizedNotification = RPCError(
    10002,
    "UNRECOGNIZED_REMOTE_NOTIFICATION",
    "this is not a notification from PingOne"
  )
  /// The platform failed or answered nonsense.
  package static let serverError = RPCError(10003, "SERVER_ERROR", "the platform failed", retry: true)
  /// The platform cannot be reached.
  package static let noConnectivity = RPCError(
    10004,
    "NO_CONNECTIVITY",
    "the platform cannot be reached",
    retry: true
  )
  /// A pairing key is malformed, unknown, used or expired.
  package static let pairingKey = RPCError(10005, "PAIRING_KEY", "the pairing key is not valid")
  /// The pairing key is for another application.
  package static let bundleID = RPCError(10006, "BUNDLE_ID", "the pairing key is for another application")
  package static let notPaired = RPCError(10008, "DEVICE_IS_NOT_PAIRED", "this machine is not paired")
  /// A push was answered after its time.
  package static let pushTimeout = RPCError(
    10009,
    "PUSH_CONFIRMATION_TIMEOUT",
    "the time to answer this request is over"
  )
  /// The platform did not take a passcode.
  package static let passcodeNotVerified = RPCError(
    10010,
    "PASSCODE_NOT_VERIFIED",
    "the platform did not accept the passcode"
  )
  /// An authentication code is malformed, unknown or expired.
  package static let authenticationCode = RPCError(
    10011,
    "AUTHENTICATION_CODE_INVALID",
    "the authentication code is not valid"
  )
  /// A policy forbids it.
  package static let failedPolicy = RPCError(
    10012,
    "FAILED_POLICY_REQUIREMENTS",
    "a policy of the organization does not allow this"
  )
  package static let pairingRunning = RPCError(
    10013,
    "PAIRING_ALREADY_RUNNING",
    "a pairing is already running",
    retry: true
  )
  /// A test of the pushes runs.
  package static let pushTestRunning = RPCError(
    10016,
    "TEST_REMOTE_NOTIFICATION_ALREADY_RUNNING",
    "a test of the pushes is already running",
    retry: true
  )
  /// Trust with the platform could not be established.
  package static let trustFailed = RPCError(
    10017,
    "TRUST_FAILED",
    "trust with the platform could not be established"
  )
  /// No geography is configured.
  package static let notConfigured = RPCError(
    10018,
    "CONFIGURE_ERROR",
    "this authenticator is not configured yet"
  )
  /// Another geography is configured.
  package static let cannotUpdateGeography = RPCError(
    10019,
    "CANNOT_UPDATE_GEO",
    "another geography is configured already"
  )
  /// A push was answered after its cancellation.
  package static let cancelled = RPCError(10020, "AUTH_CANCEL", "this request was cancelled")
  /// An attempt came from another device than the one that began it.
  package static let deviceMismatch = RPCError(
    10023,
    "DEVICE_MISMATCH",
    "this attempt was begun on another device"
  )
  /// The organization's requirements of a device are not met.
  package static let deviceRequirements = RPCError(
    10024,
    "FAILED_DEVICE_REQUIREMENTS_EVALUATION",
    "this machine does not meet the organization's requirements"
  )

  // MARK: The daemon's

  /// The method is for the service's own user and root.
  package static let permissionDenied = RPCError(
    11001,
    "PERMISSION_DENIED",
    "this needs the service's own user"
  )
  /// There is no such thing of this owner.
  package static let notFound = RPCError(11002, "NOT_FOUND", "there is no such thing")
  /// It was answered, here or elsewhere.
  package static let alreadyAnswered = RPCError(11003, "ALREADY_ANSWERED", "this was answered already")
  /// A pairing, code or sign-on is over.
  package static let expired = RPCError(11004, "EXPIRED", "this has expired")
  /// Too many at a time.
  package static let rateLimited = RPCError(11006, "RATE_LIMITED", "too much at a time", retry: true)
  /// The number is wanted to approve.
  package static let numberRequired = RPCError(
    11007,
    "NUMBER_REQUIRED",
    "this request wants the number shown where you sign on",
    retry: true
  )
  /// The number was wrong.
  package static let numberMismatch = RPCError(11008, "NUMBER_MISMATCH", "this is not the number shown")
  /// A token, push or key did not pass verification.
  package static let tokenRejected = RPCError(11009, "TOKEN_REJECTED", "the token was not accepted")
  package static let storage = RPCError(11010, "STORAGE", "the state cannot be read or written", retry: true)
  package static let conflict = RPCError(11011, "CONFLICT", "this exists already")
  /// A policy closed the account for a while.
  package static let accountLocked = RPCError(
    11014,
    "ACCOUNT_LOCKED",
    "a policy of the organization has locked this account",
    retry: true
  )
  package static let clockSkew = RPCError(
    11015,
    "CLOCK_SKEW",
    "the clock of this machine disagrees with the platform's",
    retry: true
  )
  /// The owner has too many of them.
  package static let quota = RPCError(11016, "QUOTA", "there are too many of these already")
  package static let ambiguous = RPCError(11017, "AMBIGUOUS", "several accounts fit; name one")
  /// The key-encryption key cannot be had.
  package static let keyUnavailable = RPCError(
    11018,
    "KEY_UNAVAILABLE",
    "the key that protects the secrets cannot be had"
  )

  /// The errors that a method may answer, for `rpc.discover`.
  package static let documented: [RPCError] = [
    .parseError, .invalidRequest, .requestTooLarge, .nestingTooDeep, .duplicateName, .batchTooLarge,
    .methodNotFound, .invalidParams, .internalError, .resultTooLarge,
    .internalFailure, .deviceTokenMissing, .unrecognizedNotification, .serverError, .noConnectivity,
    .pairingKey, .bundleID,
    .notPaired,
    .pushTimeout, .passcodeNotVerified, .authenticationCode, .failedPolicy, .pairingRunning, .pushTestRunning,
    .trustFailed, .notConfigured, .cannotUpdateGeography, .cancelled, .deviceMismatch, .deviceRequirements,
    .permissionDenied,
    .notFound, .alreadyAnswered, .expired, .rateLimited, .numberRequired, .numberMismatch, .tokenRejected,
    .storage, .conflict, .accountLocked, .clockSkew, .quota, .ambiguous, .keyUnavailable,
  ]

  /// An account that is closed, with the policy that closed it and the end of that.
  package static func accountLocked(_ lock: AccountLock) -> RPCError {
    accountLocked.with(lock.details)
  }

  /// Errors of the native SDK that no method answers: their codes and names stay free for them.
  ///
  /// A pairing key of another geography (10007) is paired there; what the others are about exists on telephones only.
  package static let reserved: [RPCError] = [
    RPCError(10007, "PAIRING_KEY_DATA_CENTER_MISMATCH", "the pairing key belongs to another geography"),
    RPCError(10014, "MIGRATION_ALREADY_RUNNING", "a migration is already running", retry: true),
    RPCError(10015, "MIGRATION_NOT_NEEDED", "there is nothing to migrate"),
    RPCError(10021, "UNPAIR_ALREADY_RUNNING", "an unpairing is already running", retry: true),
    RPCError(10022, "INTERNAL_USAGE", "this is for internal use only"),
  ]

  /// An answer that came too late, with the state that the thing is in.
  package static func alreadyAnswered(state: String) -> RPCError {
    alreadyAnswered.with(["state": .string(state)])
  }
}
