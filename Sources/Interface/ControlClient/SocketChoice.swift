internal import Configuration
internal import Glibc
internal import SystemCalls
package import UnixSockets

/// Which socket is used.
package struct SocketChoice: Sendable {
  /// The paths in the order in which they are tried.
  package let paths: [String]
  private let trust: SocketTrust

  /// That of the machine's daemon, unless another was named.
  package var systemPath: String? { paths.count > 1 ? paths[0] : nil }

  /// The choice by the flag, then by the environment, then the usual places.
  package init(
    flag: String?,
    environment: (String) -> String? = Environment.value,
    trust: SocketTrust = SocketTrust()
  ) {
    self.trust = trust
    if let path = flag ?? environment("MFAD_SOCKET") {
      paths = [path]
    } else {
      let runtime = environment("XDG_RUNTIME_DIR") ?? "/run/user/\(trust.caller)"
      paths = [trust.systemDirectory + "/mfad.sock", runtime + "/mfad/mfad.sock"]
    }
  }

  /// Connects to the first of the paths that can be connected, and makes sure that the daemon is there.
  package func connect(within limit: Duration) throws(Failure) -> Descriptor {
    try connection(within: limit).descriptor
  }

  /// The same, with the path at which it was.
  package func connection(
    within limit: Duration
  ) throws(Failure) -> (descriptor: Descriptor, path: String) {
    var failures: [(path: String, code: Int32)] = []
    for path in paths {
      let code: Int32
      switch Self.connect(path, within: limit) {
      case .success(let (descriptor, resolved)):
        try trust.check(descriptor, at: resolved)
        return (descriptor, path)
      case .failure(let error): code = error.code
      }
      failures.append((path, code))
    }
    throw Self.failure(failures)
  }

  /// What was looked at is what is connected: the path without symbolic links.
  private static func connect(
    _ path: String,
    within limit: Duration
  ) -> Result<(Descriptor, String), SystemError> {
    Result { () throws(SystemError) in
      guard let buffer = realpath(path, nil) else { throw SystemError("realpath") }
      defer { free(buffer) }
      let resolved = String(cString: buffer)
      return (try UnixSocket.connect(to: resolved, within: limit), resolved)
    }
  }

  private static func failure(_ failures: [(path: String, code: Int32)]) -> Failure {
    if let denied = failures.first(where: { $0.code == EACCES || $0.code == EPERM }) {
      return .local(
        .permissionDenied,
        "no permission to connect to \(denied.path)",
        hint: "members of the group mfad-users may: \"sudo usermod -aG mfad-users $USER\", then sign in again"
      )
    }
    let starting: SafeText =
      "\"sudo systemctl start mfad.socket\" or \"systemctl --user start mfad.socket\""
    let places = failures.map { "\($0.path) (\(String(cString: strerror($0.code))))" as SafeText }
    return .local(
      .unreachable,
      "cannot reach the daemon at \(places.joined(separator: " or "))",
      hint: failures.count == 1
        ? "only the place that --socket or MFAD_SOCKET names was tried; \(starting) starts a daemon at a usual one"
        : "start it with \(starting)"
    )
  }
}
