internal import JSON
public import JSONRPC

// What was looked for and what there is too much of is said, in words of the program's: never in the caller's.

extension RPCError {
  /// Nothing of this kind is the caller's by the ID that was given.
  public static func noSuch(_ kind: StaticString) -> RPCError { notFound.saying("there is no such \(kind)") }

  /// There are as many of this kind as there may be.
  public static func quota(_ limit: Int, _ kinds: StaticString) -> RPCError {
    quota.with(["limit": .int(limit)]).saying("there are \(limit) \(kinds) already, and no more may be")
  }

  /// Whether it says that there is none of what was looked for, whatever its sentence calls that.
  public var isNotFound: Bool { code == Self.notFound.code }

  /// What users hear whom the machine does not know, or whom others of its users made up.
  public static let strangeUser = permissionDenied.saying("this machine has no such user")
  /// What users hear of whom the machine could not say whether it knows them.
  public static let undecidedUser = RPCError(
    permissionDenied.code,
    permissionDenied.reason,
    "whether this machine has such a user cannot be told now",
    retry: true,
    exit: permissionDenied.exitCode
  )

  // An issuer is asked like the platform, but is no part of it: whoever repairs one must not be sent to the other.

  /// Who signs people on did not do what it was asked.
  public static let issuerFailed = serverError.saying("the issuer failed")
  /// Who signs people on gave no answer.
  public static let issuerUnreachable = noConnectivity.saying("the issuer cannot be reached")

  /// A state that cannot be used, with why, which a program may also read as the kind.
  public static func storage(_ cause: ErrorCause) -> RPCError {
    let kinds: [ErrorCause: String] = [.readOnly: "readOnly", .diskError: "corrupt"]
    let kind = kinds[cause] ?? cause.rawValue
    return storage.because(cause).with(["kind": .string(kind)])
  }

  /// A clock by which somebody takes nothing, with how many seconds it is behind theirs.
  public static func clockSkew(behind offset: Int, _ whose: String) -> RPCError {
    let words = offset > 0 ? "\(offset) s behind" : "\(-offset) s ahead of"
    return clockSkew.because(.clockSkew).with(["offset": .int(offset)])
      .saying("the clock of this machine is \(words) \(whose)")
  }

  /// A count that a backup brought back, while nobody knows which passcodes were used since.
  public static let unsureCount = invalidParameter("confirm").saying(
    "the count is that of a backup, after which passcodes may have been used: \"confirm\" goes on with it"
  )

  /// An account that is closed, with the policy that closed it and the end of that.
  public static func accountLocked(_ lock: AccountLock) -> RPCError { accountLocked.with(lock.details) }

  /// A decision that came too late, with the state that the thing is in.
  public static func alreadyAnswered(state: String) -> RPCError {
    alreadyAnswered.with(["state": .string(state)])
  }
}
