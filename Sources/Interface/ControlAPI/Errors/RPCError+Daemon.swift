public import JSONRPC

// The errors of the daemon's own.

extension RPCError {
  public static let permissionDenied = RPCError(
    11001,
    "PERMISSION_DENIED",
    "this needs the service's own user",
    exit: .permissionDenied,
    hint: "this concerns the service as a whole: run it as root"
  )
  public static let notFound = RPCError(
    11002,
    "NOT_FOUND",
    "there is no such thing",
    exit: .notFound,
    hint: "\"authctl accounts\", \"authctl notifications\" and \"authctl pairings\" list what there is"
  )
  public static let alreadyAnswered = RPCError(
    11003,
    "ALREADY_ANSWERED",
    "this was answered already",
    exit: .answeredElsewhere,
    hint: "look at \"authctl notifications --all\""
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
    hint: "\"authctl unlock\" asks for it"
  )
  public static let rateLimited = RPCError(
    11006,
    "RATE_LIMITED",
    "too much at a time",
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
    hint: "give it with --number; a request that shows none cannot be approved on this machine"
  )
  public static let numberMismatch = RPCError(
    11008,
    "NUMBER_MISMATCH",
    "this is not the number shown",
    exit: .numberWanted,
    hint: "look again at what is shown where you sign on"
  )
  /// The journal says why, the caller hears nothing of it.
  public static let tokenRejected = RPCError(
    11009,
    "TOKEN_REJECTED",
    "the token was not accepted",
    exit: .rejected,
    hint: "the daemon's journal says why: \"journalctl -u mfad\""
  )
  public static let storage = RPCError(
    11010,
    "STORAGE",
    "the state cannot be read or written",
    retry: true,
    hint: "see whether the disk is full or read-only (\"df -h\"); the daemon's journal says more",
    causes: .causes(.full, .readOnly, .corrupt, .diskError, .busy, .newer)
  )
  public static let conflict = RPCError(
    11011,
    "CONFLICT",
    "this exists already",
    hint: "\"authctl accounts\" lists what there is"
  )
  public static let pinWrong = RPCError(
    11012,
    "PIN_WRONG",
    "this is not the PIN",
    retry: true,
    exit: .locked,
    hint: "type it again; after too many wrong ones it is disabled"
  )
  public static let pinDisabled = RPCError(
    11013,
    "PIN_DISABLED",
    "the PIN was wrong too often and is disabled",
    exit: .locked,
    hint: "\"authctl reset\" erases everything of yours, after which you can begin anew"
  )
  public static let accountLocked = RPCError(
    11014,
    "ACCOUNT_LOCKED",
    "a policy of the organization has locked this account",
    retry: true,
    exit: .locked,
    hint: "it opens by itself; an administrator can open it sooner"
  )
  public static let clockSkew = RPCError(
    11015,
    "CLOCK_SKEW",
    "the clock of this machine disagrees with the platform's",
    retry: true,
    hint: passcodeNotVerified.hint,
    causes: .causes(.clockSkew)
  )
  public static let quota = RPCError(
    11016,
    "QUOTA",
    "there are too many of these already",
    exit: .tryLater,
    hint: "remove what you do not need, or wait until something ends"
  )
  public static let ambiguous = RPCError(
    11017,
    "AMBIGUOUS",
    "several accounts fit; name one",
    exit: .ambiguous,
    hint: "\"authctl accounts\" lists all, with their names"
  )
  public static let keyUnavailable = RPCError(
    11018,
    "KEY_UNAVAILABLE",
    "the key that protects the secrets cannot be had",
    exit: .locked,
    hint: "\"authctl doctor\" says why, and how it comes back",
    causes: .causes(.keyMissing, .keyExposed, .keySealed, .keyUnreadable, .anotherKey)
  )
  public static let presenceRequired = RPCError(
    11019,
    "PRESENCE_REQUIRED",
    "this wants you to be verified",
    retry: true,
    exit: .personNotVerified,
    hint: "at a terminal, authctl asks for what it needs; \"authctl pin\" sets a PIN"
  )
  public static let presenceFailed = RPCError(
    11020,
    "PRESENCE_FAILED",
    "you could not be verified",
    retry: true,
    exit: .personNotVerified,
    hint: "try again"
  )
  public static let scopeNotGranted = RPCError(
    11021,
    "SCOPE_NOT_GRANTED",
    "the organization does not grant what this needs",
    exit: .refusedByPolicy,
    hint: "an administrator of the organization grants it to the application"
  )
  public static let policyRefuses = RPCError(
    11022,
    "POLICY_REFUSES",
    "a policy of the other side wants what this authenticator cannot do",
    exit: .refusedByPolicy,
    hint: "ask an administrator of the organization"
  )
  public static let originRefused = RPCError(
    11023,
    "ORIGIN_REFUSED",
    "this origin is not one that the configuration or the relying party names",
    exit: .refusedByPolicy,
    hint: "mfad.conf names those that are taken (\"am_origin\")"
  )
  public static let misconfigured = RPCError(
    11024,
    "MISCONFIGURED",
    "the configuration cannot be used",
    exit: .misconfigured,
    hint: "\"mfad --check-config\" names the file, the line and what is allowed"
  )

  static let ofDaemon: [RPCError] = [
    permissionDenied, notFound, alreadyAnswered, expired, locked, rateLimited, numberRequired,
    numberMismatch, tokenRejected, storage, conflict, pinWrong, pinDisabled, accountLocked, clockSkew,
    quota, ambiguous, keyUnavailable, presenceRequired, presenceFailed, scopeNotGranted, policyRefuses,
    originRefused, misconfigured,
  ]
}
