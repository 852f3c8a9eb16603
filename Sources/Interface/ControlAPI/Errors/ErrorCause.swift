internal import JSON
public import JSONRPC
public import WebAddress

/// The cause of an error, for errors with several possible causes.
public enum ErrorCause: String, CaseIterable, Sendable {
  // The network and the server.
  case dns, refused, timeout, tls, http, malformed, discovery
  case brokenOff = "broken-off"
  case notAllowed = "not-allowed"
  case courierUnavailable = "courier-unavailable"
  case notPlatform = "not-platform"
  case notPinned = "not-pinned"
  // The configuration.
  case noPlatform = "no-platform"
  case noClientID = "no-client-id"
  case issuerMismatch = "issuer-mismatch"
  // The key-encryption key.
  case keyMissing = "key-missing"
  case keyExposed = "key-exposed"
  case keySealed = "key-sealed"
  case keyUnreadable = "key-unreadable"
  case anotherKey = "another-key"
  // The state.
  case full, corrupt, missing, replaced, busy, newer
  case readOnly = "read-only"
  case diskError = "disk-error"
  // The machine.
  case clockSkew = "clock-skew"
  // An ID token.
  case audience, signature
  case unknownKey = "unknown-key"

  /// Returns the explanation to append to the error's message, and the next step for the user.
  ///
  /// `origin` is the origin of the contacted server.
  func text(at origin: Origin?) -> (explanation: String, remedy: String) {
    let it = origin?.text ?? "the server"
    let host = origin?.host ?? "NAME"
    let address = origin?.text ?? "ADDRESS"
    let connecting = #""curl -I \#(address)" tests the connection; passcodes work without the platform"#
    let asking =
      #""curl -i \#(address)" shows the response; check "platform" and "issuer" in mfad.conf"#
    let recovery =
      #"stop the service, then "mfad --recover" restores the key from the recovery key"#
    switch self {
    // The network and the server.
    case .dns:
      return (
        "the host name \(origin?.host ?? "of the server") cannot be resolved",
        #""getent hosts \#(host)" queries this machine's resolver; passcodes work without the platform"#
      )
    case .refused:
      return ("\(it) refused the connection", connecting)
    case .timeout:
      return (
        "\(it) did not answer in time",
        "try again; if this persists, check firewalls and \"proxy\" in mfad.conf; "
          + "passcodes work without the platform"
      )
    case .tls:
      return (
        "the certificate of \(it) cannot be verified",
        #""curl -vI \#(address)" shows the certificate; "ca_file" in mfad.conf adds your own authorities"#
      )
    case .http:
      return ("\(it) answered with an error", asking)
    case .malformed:
      return ("the response of \(it) cannot be read", asking)
    case .discovery:
      return (
        "the OpenID configuration of \(it) cannot be read",
        #""curl ISSUER/.well-known/openid-configuration" shows it; ISSUER is "issuer" in mfad.conf"#
      )
    case .brokenOff:
      return ("the connection to \(it) was interrupted", connecting)
    case .notAllowed:
      return (
        "the configuration does not allow connections to \(it)",
        #"add it to mfad.conf ("platform", "issuer", "journey_server" …), then "sudo systemctl restart mfad""#
      )
    case .courierUnavailable:
      return (
        "mfad-courier, which connects to \(it), is not available",
        #"try again; "journalctl -u mfad-courier -u mfad" shows the reason"#
      )
    case .notPlatform:
      return ("\(it) is not the platform", asking)
    case .notPinned:
      return (
        "the key of \(it) is not in the configuration; nothing was sent",
        #"the connection may be intercepted; if the platform has a new key, set "platform_key" in mfad.conf"#
      )
    // The configuration.
    case .noPlatform:
      return (
        "the configuration names no platform",
        #"set "platform" in mfad.conf, then "sudo systemctl restart mfad""#
      )
    case .noClientID:
      return (
        "the configuration names no client_id",
        #"set "client_id" in mfad.conf, then "sudo systemctl reload mfad""#
      )
    case .issuerMismatch:
      return (
        "\(it) identifies itself as another issuer",
        #"spell "issuer" in mfad.conf exactly as the issuer does"#
      )
    // The key-encryption key.
    case .keyMissing:
      return ("there is neither a credential nor a key file", recovery)
    case .keyExposed:
      return (
        "other users can read the key file",
        #""chmod 600 key" in the state directory; if it may have been read, "mfad --rekey" replaces it"#
      )
    case .keySealed:
      return (
        "systemd-creds could not unseal the key",
        #""journalctl -u mfad-key" shows the reason; \#(recovery)"#
      )
    case .keyUnreadable:
      return ("the stored key is truncated or cannot be read", recovery)
    case .anotherKey:
      return ("the available key is not the one that sealed the state", recovery)
    // The state.
    case .full:
      return (
        "the disk is full",
        #""df -h" shows the full disk; free space on it, then try again"#
      )
    case .corrupt:
      return (
        "the database is damaged",
        #"stop the service, then "mfad --restore FILE" restores a backup"#
      )
    case .missing:
      return (
        "the database is missing, although its other files are there",
        #"put "mfad.db" back into the state directory, or stop the service and run "mfad --restore FILE""#
      )
    case .replaced:
      return (
        "another program moved, deleted or replaced the database in use; nothing is stored any more",
        #"put "mfad.db" back into the state directory, then "sudo systemctl restart mfad""#
      )
    case .busy:
      return (
        "the database is in use, or memory or files are exhausted",
        #"try again; "journalctl -u mfad" shows more"#
      )
    case .newer:
      return (
        "another version of mfad wrote the state",
        "install that version of mfad again"
      )
    case .readOnly:
      return (
        "its files are not writable",
        #""findmnt" shows the mount options; the service's user must own the state directory"#
      )
    case .diskError:
      return (
        "the disk reported an error",
        #""journalctl -k" shows the kernel's messages about the disk"#
      )
    // The machine.
    case .clockSkew:
      return (
        "one of the clocks is wrong",
        #""timedatectl" shows this machine's time; "sudo timedatectl set-ntp true" synchronizes it"#
      )
    // An ID token.
    case .audience:
      return (
        "it is for another client",
        #"set "client_id" in mfad.conf to the client's ID, then "sudo systemctl reload mfad""#
      )
    case .signature:
      return (
        "its signature does not match the issuer's key",
        #"check "issuer_jwks" and "id_token_algorithm" in mfad.conf; "journalctl -u mfad" shows more"#
      )
    case .unknownKey:
      return (
        "the issuer's key set does not contain its key",
        #"try again in a minute; if this persists, check the issuer's key set and "issuer_jwks" in mfad.conf"#
      )
    }
  }
}

extension [String] {
  /// The names of causes.
  static func causes(_ causes: ErrorCause...) -> [String] { causes.map(\.rawValue) }
}

extension RPCError {
  /// Returns the error with a cause, its explanation in the message, and the given details.
  ///
  /// `status` is the HTTP status of the response, and `origin` is the origin of the contacted server.
  public func withCause(
    _ cause: ErrorCause,
    status: Int? = nil,
    certificate: CertificateProblem? = nil,
    at origin: Origin? = nil
  ) -> RPCError {
    let text = cause.text(at: origin)
    let explanation = certificate?.explanation(at: origin) ?? text.explanation
    let words = explanation + (status.map { " (\($0))" } ?? "")
    var details = details
    details["certificate"] = certificate.map { .string($0.rawValue) }
    details["origin"] = origin.map { .string($0.text) }
    details["status"] = status.map { .int($0) }
    return withMessage("\(message): \(words)").caused(by: cause.rawValue)
      .withHint(text.remedy).with(details)
  }
}

/// The reason for rejecting a server's certificate.
public enum CertificateProblem: String, CaseIterable, Sendable {
  case expired
  case notYetValid = "not-yet-valid"
  /// The certificate is for another host.
  case otherHost = "other-host"
  /// No authority that this machine trusts signed the certificate.
  case unknownIssuer = "unknown-issuer"

  func explanation(at origin: Origin?) -> String {
    let certificate = "the certificate of \(origin?.text ?? "the server")"
    return switch self {
    case .expired: "\(certificate) has expired, or the clock of this machine is wrong"
    case .notYetValid: "\(certificate) is not valid yet, or the clock of this machine is wrong"
    case .otherHost: "\(certificate) is for another host"
    case .unknownIssuer: "no authority that this machine trusts signed \(certificate)"
    }
  }
}
