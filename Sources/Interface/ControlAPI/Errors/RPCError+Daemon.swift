public import JSONRPC

// The daemon's own errors.

extension RPCError {
  public static let permissionDenied = RPCError(
    11001,
    "PERMISSION_DENIED",
    "only root and the service's user may do this",
    exit: .permissionDenied,
    hint: "run the same command with \"sudo\""
  )
  public static let notFound = RPCError(
    11002,
    "NOT_FOUND",
    "there is no such object",
    exit: .notFound,
    hint: "\"authctl accounts\", \"authctl notifications\" and \"authctl pairings\" list the existing ones"
  )
  public static let alreadyAnswered = RPCError(
    11003,
    "ALREADY_ANSWERED",
    "this was answered already",
    exit: .answeredElsewhere,
    hint: "\"authctl notifications --all\" shows the answer"
  )
  public static let expired = RPCError(
    11004,
    "EXPIRED",
    "this has expired",
    exit: .expired,
    hint: "start it again"
  )
  public static let locked = RPCError(
    11005,
    "LOCKED",
    "the authenticator is locked: the PIN is needed",
    retry: true,
    exit: .locked,
    hint: "unlock it with \"authctl unlock\""
  )
  public static let rateLimited = RPCError(
    11006,
    "RATE_LIMITED",
    "too many calls, connections or attempts",
    retry: true,
    exit: .tryLater,
    hint: "try again in a moment"
  )
  public static let numberRequired = RPCError(
    11007,
    "NUMBER_REQUIRED",
    "this request wants the number shown where you sign on",
    retry: true,
    exit: .numberWanted,
    hint: "\"authctl approve ID --number N\" enters it; a request without a number cannot be approved here"
  )
  public static let numberMismatch = RPCError(
    11008,
    "NUMBER_MISMATCH",
    "the number does not match the sign-on page",
    exit: .numberWanted,
    hint: "check the number on the sign-on page, then \"authctl approve ID --number N\""
  )
  /// The journal contains the reason; the caller gets it only for a token that the daemon requested itself.
  public static let tokenRejected = RPCError(
    11009,
    "TOKEN_REJECTED",
    "the token was rejected",
    exit: .rejected,
    hint: "\"journalctl -u mfad\" shows the reason",
    causes: .causes(.clockSkew, .issuerMismatch, .audience, .unknownKey, .signature)
  )
  public static let storage = RPCError(
    11010,
    "STORAGE",
    "the state cannot be read or written",
    retry: true,
    hint: "\"df -h\" and \"findmnt\" show a full or read-only disk, \"journalctl -u mfad\" more",
    causes: .causes(.full, .readOnly, .corrupt, .missing, .replaced, .diskError, .busy, .newer)
  )
  public static let conflict = RPCError(
    11011,
    "CONFLICT",
    "this exists already",
    hint: "\"authctl accounts\" lists the accounts"
  )
  public static let pinWrong = RPCError(
    11012,
    "PIN_WRONG",
    "the PIN is wrong",
    retry: true,
    exit: .locked,
    hint: "enter the PIN again; too many wrong attempts disable it"
  )
  public static let pinDisabled = RPCError(
    11013,
    "PIN_DISABLED",
    "the PIN is disabled after too many wrong attempts",
    exit: .locked,
    hint: "\"authctl reset\" erases all your data here, then you can enrol again"
  )
  public static let accountLocked = RPCError(
    11014,
    "ACCOUNT_LOCKED",
    "a policy of the organization has locked this account",
    retry: true,
    exit: .locked,
    hint: "the lock ends automatically; an administrator can end it sooner"
  )
  public static let clockSkew = RPCError(
    11015,
    "CLOCK_SKEW",
    "the clock of this machine differs from the platform's",
    retry: true,
    hint: passcodeNotVerified.hint,
    causes: .causes(.clockSkew)
  )
  public static let quota = RPCError(
    11016,
    "QUOTA",
    "the limit is reached",
    exit: .tryLater,
    hint: "remove one, for example with \"authctl accounts remove ACCOUNT\", or wait until one ends"
  )
  public static let ambiguous = RPCError(
    11017,
    "AMBIGUOUS",
    "several accounts match; name one",
    exit: .ambiguous,
    hint: "\"authctl accounts\" lists their names"
  )
  public static let keyUnavailable = RPCError(
    11018,
    "KEY_UNAVAILABLE",
    "the key that protects the secrets is unavailable",
    exit: .locked,
    hint: "\"authctl doctor\" shows the reason and the next step",
    causes: .causes(.keyMissing, .keyExposed, .keySealed, .keyUnreadable, .anotherKey)
  )
  public static let presenceRequired = RPCError(
    11019,
    "PRESENCE_REQUIRED",
    "this requires user verification",
    retry: true,
    exit: .personNotVerified,
    hint: "run authctl at a terminal, where it asks for the PIN; \"authctl pin set\" sets one"
  )
  public static let presenceFailed = RPCError(
    11020,
    "PRESENCE_FAILED",
    "user verification failed",
    retry: true,
    exit: .personNotVerified,
    hint: "try again"
  )
  public static let scopeNotGranted = RPCError(
    11021,
    "SCOPE_NOT_GRANTED",
    "the organization has not granted a required scope",
    exit: .refusedByPolicy,
    hint: "ask an administrator of the organization to grant it to the application"
  )
  public static let policyRefuses = RPCError(
    11022,
    "POLICY_REFUSES",
    "this authenticator cannot meet a policy of the server",
    exit: .refusedByPolicy,
    hint: "ask an administrator of the organization"
  )
  public static let originRefused = RPCError(
    11023,
    "ORIGIN_REFUSED",
    "neither the configuration nor the relying party allows this origin",
    exit: .refusedByPolicy,
    hint: "if the server is yours, add its origin to mfad.conf (\"am_origin\")"
  )
  public static let misconfigured = RPCError(
    11024,
    "MISCONFIGURED",
    "the configuration cannot be used",
    exit: .misconfigured,
    hint: "\"mfad --check-config\" shows the file, the line and the allowed values"
  )

  static let ofDaemon: [RPCError] = [
    permissionDenied, notFound, alreadyAnswered, expired, locked, rateLimited, numberRequired,
    numberMismatch, tokenRejected, storage, conflict, pinWrong, pinDisabled, accountLocked, clockSkew,
    quota, ambiguous, keyUnavailable, presenceRequired, presenceFailed, scopeNotGranted, policyRefuses,
    originRefused, misconfigured,
  ]
}
