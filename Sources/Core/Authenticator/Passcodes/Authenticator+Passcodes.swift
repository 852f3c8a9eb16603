package import ControlAPI
package import Glibc
internal import JSONRPC
internal import OATH
internal import Time

extension Authenticator {
  /// The passcode of now, and on request that of the next window, all from one reading of the clock.
  package func passcode(of account: String?, next wantsNext: Bool, owner: uid_t) throws -> Passcode {
    let account = try self.account(account, of: owner)
    let totp = try generator(for: account)
    let now = time.now()
    let window = totp.window(at: now)
    let current = try Self.window(window, of: totp)
    return Passcode(
      account: account.id,
      current: current,
      period: totp.period,
      remaining: current.validUntil - now.seconds,
      next: wantsNext ? try Self.window(window + 1, of: totp) : nil
    )
  }

  func generator(for account: AccountRecord) throws -> TOTP {
    if let known = passcodes[account.id] { return known }
    guard let oath = account.oath else { throw RPCError.notPaired }
    let totp = try TOTP(
      secret: oath.secret,
      algorithm: oath.algorithm,
      digits: oath.digits,
      period: oath.period
    )
    passcodes[account.id] = totp
    return totp
  }

  private static func window(_ number: Int, of totp: TOTP) throws -> Passcode.Window {
    Passcode.Window(
      passcode: try totp.passcode(window: number),
      validFrom: number * totp.period,
      validUntil: (number + 1) * totp.period
    )
  }
}
