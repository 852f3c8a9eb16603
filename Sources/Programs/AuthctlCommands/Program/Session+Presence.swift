internal import ControlAPI
internal import ControlClient

extension Session {
  /// Does what may want the person verified: then the PIN is asked for on the terminal, and it is done with that.
  func verified<Value>(
    _ body: (PresenceClaim?) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var claim: PresenceClaim?
    while true {
      do { return try body(claim) } catch {
        guard case .refused(let refusal) = error, refusal.wantsPIN, let terminal else { throw error }
        if claim != nil { terminal.show([refusal.message]) }
        // Nobody gave it, and that it is wanted is the reason.
        guard let pin = try terminal.askHidden("PIN"), !pin.isEmpty else { throw error }
        claim = .pin(pin)
      }
    }
  }
}

extension Refusal {
  fileprivate var wantsPIN: Bool {
    if isOne(of: .presenceRequired) { return methods.contains(PresenceClaim.Method.pin.rawValue) }
    return isOne(of: .locked, .presenceFailed)
  }
}
