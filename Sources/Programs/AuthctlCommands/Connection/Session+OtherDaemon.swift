internal import ControlAPI
internal import ControlClient

extension Session {
  /// What a daemon is to who has not said where it is: the machine's, or their own.
  func place(_ path: String) -> SafeText {
    guard let system = sockets.systemPath else { return "\(path)" }
    return "\(path), \(path == system ? "the daemon of this machine" : "a daemon of your own")"
  }

  /// The daemon that is not spoken to, where there are two and that one has accounts of this user too: which one is met
  /// is decided by who can be connected, and they know nothing of each other.
  func otherPlace() throws(Failure) -> SafeText? {
    guard sockets.systemPath != nil, let path = sockets.paths.first(where: { $0 != socketPath }) else {
      return nil
    }
    do {
      let (descriptor, _) = try SocketChoice(flag: path).connection(within: Self.otherLimit)
      let other = try DaemonConnection(descriptor, waiter, answerLimit: Self.otherLimit)
      let status = try Reply(json: try other.result(of: ServiceStatus()), of: ServiceStatus.self).value
      let count = status.owner.paired
      guard count > 0 else { return nil }
      let accounts = Describe.count(count, "account", "accounts")
      return "beside it \(place(path)), with \(accounts) of yours: --socket \(path)"
    } catch {
      if case .interrupted = error { throw error }
      return nil
    }
  }

  /// Nobody waits long for what was not asked for.
  private static var otherLimit: Duration { .seconds(2) }
}
