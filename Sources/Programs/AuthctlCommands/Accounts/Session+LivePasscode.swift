internal import ControlAPI
internal import ControlClient

extension Session {
  /// Shows the passcode that is valid, on a terminal in one line that changes, else a line for each.
  func watchPasscode() throws(Failure) {
    let deadline = watchDeadline
    var reply = try passcode()
    let isLive = output.isTerminal && !output.asJSON
    // Somebody who ends it has a line of their own for what comes then.
    if isLive { waiter.catchSignals() }
    defer { if isLive { output.restart("\n") } }
    while true {
      guard let timed = try reply.value.timed else {
        throw .local(
          .usage,
          "a passcode of this account counts once, and would be used up by being watched",
          hint: "without --watch one is made"
        )
      }
      if !isLive { try output.result(reply) { ["\($0.code)"] } }
      var left = timed.remaining
      while true {
        if isLive { output.restart("\r\(timed.current.passcode)  \(left) s \u{1B}[K") }
        guard !deadline.hasPassed else {
          throw .watched
        }
        try waiter.pause(until: deadline.orAfter(left > 0 ? .seconds(1) : .milliseconds(100)))
        if left <= 0 { break }
        left -= 1
      }
      let before = timed.current.validUntil
      repeat {
        reply = try passcode(of: timed.account)
        guard try reply.value.timed?.current.validUntil == before else { break }
        try waiter.pause(until: .after(.milliseconds(100)))
      } while !deadline.hasPassed
    }
  }
}
