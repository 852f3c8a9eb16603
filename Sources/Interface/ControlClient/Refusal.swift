internal import ControlAPI
package import JSON
package import JSONRPC

/// An error that the daemon answered with.
package struct Refusal: Error, Sendable {
  /// The error object as it came.
  package let json: JSON
  package let error: RPCError
  /// What the command knows to advise beside what is known of the error.
  package var advice: SafeText?
  /// What the command named, where there is none of that name.
  package var named: SafeText?

  /// Reads an error object; `nil` if it is none.
  package init?(_ json: JSON) {
    guard let error = try? RPCError(reading: json) else { return nil }
    (self.json, self.error) = (json, error)
  }

  /// Whether it is an error of the interface, whatever it tells beside its name.
  package func isOne(of errors: RPCError...) -> Bool { errors.contains { $0.code == error.code } }

  /// Whether one parameter was wrong or missing, by its name.
  package func isAbout(parameter: String) -> Bool { details?.parameter == parameter }

  /// Whether a policy of the other side was not met, by its name.
  package func isAbout(policy: String) -> Bool { details?.policy == policy }

  /// How many more wrong numbers are allowed, if the daemon said so.
  package var triesLeft: Int? { details?.triesLeft }

  /// How this machine can make sure of the person, where that is wanted.
  package var methods: [String] { details?.methods ?? [] }

  /// The accounts that fit, where several do.
  package var accounts: [SafeText] { (details?.accounts ?? []).map { "\($0)" } }

  package var message: SafeText {
    if isOne(of: .accountLocked), let lock { return "\(error.message): \(LockText.words(lock))" }
    switch triesLeft {
    case nil: return named.map { "\(error.message): \"\($0)\"" } ?? "\(error.message)"
    case 0? where isOne(of: .pinWrong, .presenceFailed): return "\(error.message), and it is disabled now"
    case 0?:
      let lock = details?.lock.map { "; the account is locked \(LockText.words($0))" as SafeText } ?? ""
      return "\(error.message), and the request is denied now\(lock)"
    case let tries?: return "\(error.message) (\(tries) \(tries == 1 ? "try" : "tries") left)"
    }
  }

  package var hint: SafeText? {
    if let advice { return advice }
    if triesLeft == 0 {
      if isOne(of: .numberMismatch) { return "if it was yours, start the sign-on again" }
      if isOne(of: .pinWrong, .presenceFailed) { return RPCError.pinDisabled.hint.map { "\($0)" } }
    }
    if isOne(of: .rateLimited), let seconds = details?.retryAfter { return "try again in \(seconds) s" }
    if isOne(of: .accountLocked), let lock, lock.expiresAt == nil { return "an administrator can open it" }
    return error.hint.map { "\($0)" }
  }

  private var details: ErrorDetails? { try? ErrorDetails(reading: .object(error.details)) }

  private var lock: AccountLock? { try? AccountLock(reading: .object(error.details)) }
}
