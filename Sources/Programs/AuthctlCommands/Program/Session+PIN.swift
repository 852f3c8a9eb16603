internal import ControlAPI
internal import ControlClient

extension Session {
  /// Number of seconds after which the owner is locked again if this program is killed.
  private static var momentarily: Int { 60 }

  /// Runs `body`; if the daemon requires a PIN, asks for it on the terminal and runs `body` again.
  ///
  /// After a wrong PIN, asks again.
  func verified<Value>(
    _ body: (PresenceClaim?) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    do { return try body(pin.map { .pin($0) }) } catch {
      guard case .refused(let refusal) = error, refusal.wantsPIN else { throw error }
      return try withPIN(orElse: error) { (pin) throws(Failure) in try body(.pin(pin)) }
    }
  }

  /// Runs `body`; if the owner is locked, asks for the PIN and unlocks the owner while `body` runs again.
  ///
  /// For methods that take no presence.
  func unlocked<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    do { return try body() } catch {
      guard case .refused(let refusal) = error, refusal.isOne(of: .locked) else { throw error }
      return try withPIN(orElse: error) { (pin) throws(Failure) in try unlocked(by: pin, body) }
    }
  }

  /// Unlocks a locked owner while `body` runs, and locks it again even if `body` fails.
  func unlocked<Value>(by pin: String, _ body: () throws(Failure) -> Value) throws(Failure) -> Value {
    waiter.catchSignals()
    _ = try call(LockUnlock(pin: pin, seconds: Self.momentarily))
    // This fails if `body` removed the PIN, because then there is nothing to lock.
    defer { _ = try? call(LockNow()) }
    return try body()
  }

  /// Returns the accounts; asks for the PIN if it hides the names and `name` is no id.
  func namedAccounts(for name: String? = nil) throws(Failure) -> [Account] {
    let accounts = try call(AccountList())
    guard accounts.contains(where: \.label.isEmpty), !accounts.contains(where: { $0.id == name }),
      try call(ServiceStatus()).protection.pin == .locked
    else { return accounts }
    return try withPIN(orElse: .refused(DaemonError(.locked))) { (pin) throws(Failure) in
      try unlocked(by: pin) { () throws(Failure) in try call(AccountList()) }
    }
  }

  /// Runs `body` with the PIN of the terminal, and asks again while it is wrong.
  ///
  /// Throws `error` if no PIN was typed or there is no terminal.
  private func withPIN<Value>(
    orElse error: Failure,
    _ body: (String) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    while true {
      if pin == nil { pin = try terminal?.askHidden("PIN") }
      guard let typed = pin, !typed.isEmpty else {
        pin = nil
        throw error
      }
      do { return try body(typed) } catch {
        guard case .refused(let refusal) = error, refusal.wantsPIN else { throw error }
        pin = nil
        guard refusal.triesLeft != 0 else { throw error }
        terminal?.show([refusal.message])
      }
    }
  }
}

extension DaemonError {
  fileprivate var wantsPIN: Bool {
    if isOne(of: .presenceRequired) { return methods.contains(PresenceClaim.Method.pin.rawValue) }
    return isOne(of: .locked, .presenceFailed, .pinWrong)
  }
}
