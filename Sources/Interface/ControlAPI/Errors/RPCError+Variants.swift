internal import JSON
public import JSONRPC

// The messages of these errors contain only the program's own words and numbers, no text from the caller.

extension RPCError {
  /// Returns `NOT_FOUND`: the caller has no object of this kind with the given id.
  public static func noSuch(_ kind: StaticString) -> RPCError {
    notFound.withMessage("there is no such \(kind)")
  }

  /// Returns `QUOTA`: the maximum number of objects of this kind is reached.
  public static func quota(_ limit: Int, _ kinds: StaticString) -> RPCError {
    quota.with(["limit": .int(limit)]).withMessage("the limit of \(limit) \(kinds) is reached")
  }

  /// True for `NOT_FOUND` with any message.
  public var isNotFound: Bool { code == Self.notFound.code }

  /// The error for a uid that this machine does not know, or that another user may assign, subuid(5).
  public static let strangeUser = permissionDenied.withMessage("this machine has no such user")
  /// The error for a caller if looking up the caller's uid failed.
  public static let undecidedUser = RPCError(
    permissionDenied.code,
    permissionDenied.reason,
    "the user cannot be looked up now",
    retry: true,
    exit: permissionDenied.exitCode
  )

  // Errors of an issuer name the issuer, so that the administrator does not look for a fault of the platform.

  /// The issuer returned an error.
  public static let issuerFailed = serverError.withMessage("the issuer failed")
  /// The issuer did not respond.
  public static let issuerUnreachable = noConnectivity.withMessage("the issuer cannot be reached")

  /// Returns `STORAGE` with the cause, also as `details.kind`.
  public static func storage(_ cause: ErrorCause) -> RPCError {
    let kinds: [ErrorCause: String] = [
      .readOnly: "readOnly", .diskError: "corrupt", .missing: "corrupt",
    ]
    let kind = kinds[cause] ?? cause.rawValue
    return storage.withCause(cause).with(["kind": .string(kind)])
  }

  /// Returns `CLOCK_SKEW` for a clock that is `offset` seconds behind; a negative offset means ahead.
  public static func clockSkew(behind offset: Int, _ clocks: String) -> RPCError {
    let words = offset > 0 ? "\(offset) s behind" : "\(-offset) s ahead of"
    return clockSkew.withCause(.clockSkew).with(["offset": .int(offset)])
      .withMessage("the clock of this machine is \(words) \(clocks)")
  }

  /// The error if the counter is from a backup, so that its next passcodes may already have been used.
  public static let unsureCount = invalidParameter("confirm").withMessage(
    "the counter is from a backup, so its next passcodes may have been used; \"confirm\" accepts it"
  )

  /// Returns `SCOPE_NOT_GRANTED` for the scopes that the issuer does not grant to the application.
  public static func scopesRefused(_ scopes: [String]) -> RPCError {
    let isOfDevices = scopes.contains { $0.hasPrefix("p1:") }
    return scopeNotGranted.with(["scopes": .strings(scopes)])
      .withMessage(
        "the application may not use \(scopes.joined(separator: " ")): an administrator can grant that"
          + (isOfDevices ? ", for the resource PingOne API" : "")
      )
  }

  /// Returns `ACCOUNT_LOCKED` with the policy and the end of the lock.
  public static func accountLocked(_ lock: AccountLock) -> RPCError { accountLocked.with(lock.details) }

  /// Returns `ALREADY_ANSWERED` with the state of the object.
  public static func alreadyAnswered(state: String) -> RPCError {
    alreadyAnswered.with(["state": .string(state)])
  }
}
