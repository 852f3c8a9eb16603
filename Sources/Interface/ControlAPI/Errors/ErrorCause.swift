internal import JSON
public import JSONRPC
public import WebAddress

/// Why an error came about that has several causes.
public enum ErrorCause: String, CaseIterable, Sendable {
  // The network and whoever is asked.
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
  case full, corrupt, busy, newer
  case readOnly = "read-only"
  case diskError = "disk-error"
  // The machine.
  case clockSkew = "clock-skew"

  /// The explanation that ends the sentence of an error, and the next step for a person, for the origin that was asked.
  func text(at origin: Origin?) -> (explanation: String, remedy: String) {
    let it = origin?.text ?? "it"
    let host = origin?.host ?? "NAME"
    let address = origin?.text ?? "ADDRESS"
    let connecting = #""curl -I \#(address)" tries it from here; passcodes work without the platform"#
    let asking =
      #""curl -i \#(address)" shows what is there; mfad.conf has its address ("platform", "issuer")"#
    let recovery =
      #""mfad --recover", while the service is stopped, brings it back by the recovery key"#
    switch self {
    // The network and whoever is asked.
    case .dns:
      return (
        "the name \(origin?.host ?? "of its host") cannot be resolved",
        #""getent hosts \#(host)" asks the resolver of this machine; passcodes work without the platform"#
      )
    case .refused:
      return ("\(it) takes no connection", connecting)
    case .timeout:
      return (
        "\(it) does not answer in time",
        "try again; if it stays so, something between may keep it (\"proxy\" in mfad.conf); "
          + "passcodes work without the platform"
      )
    case .tls:
      return (
        "the certificate of \(it) cannot be verified",
        #""curl -vI \#(address)" shows the certificate; "ca_file" in mfad.conf names authorities of your own"#
      )
    case .http:
      return ("\(it) answered with an error", asking)
    case .malformed:
      return ("what \(it) answered cannot be read", asking)
    case .discovery:
      return (
        "the OpenID configuration of \(it) cannot be read",
        #""curl ISSUER/.well-known/openid-configuration" shows it, with what mfad.conf has as "issuer" for ISSUER"#
      )
    case .brokenOff:
      return ("the connection to \(it) broke off", connecting)
    case .notAllowed:
      return (
        "the configuration does not allow the address of \(it)",
        #"name its origin in mfad.conf ("platform", "issuer", "journey_server" …), then restart mfad"#
      )
    case .courierUnavailable:
      return (
        "mfad-courier, which asks \(it), is not available",
        #"try again; "journalctl -u mfad-courier -u mfad" says why it ended"#
      )
    case .notPlatform:
      return ("what answers at \(it) is not the platform", asking)
    case .notPinned:
      return (
        "the key of \(it) is not one that the configuration names; nothing was sent",
        #"somebody may be in between; if the platform has a new key, set it in mfad.conf ("platform_key")"#
      )
    // The configuration.
    case .noPlatform:
      return (
        "the configuration names no platform",
        #"set "platform" in mfad.conf, then restart mfad"#
      )
    case .noClientID:
      return (
        "the configuration names no client_id",
        #"set "client_id" in mfad.conf, then "sudo systemctl reload mfad""#
      )
    case .issuerMismatch:
      return (
        "\(it) says that it is another issuer",
        #""issuer" in mfad.conf has to be spelled as the issuer spells itself"#
      )
    // The key-encryption key.
    case .keyMissing:
      return ("it is at none of its places", recovery)
    case .keyExposed:
      return (
        "others than the service may read its file",
        #""chmod 600" on "key" in the state directory closes it; "mfad --rekey" makes a new one, if it was read"#
      )
    case .keySealed:
      return (
        "what keeps it sealed does not hand it over",
        #""journalctl -u mfad-key" says why; \#(recovery)"#
      )
    case .keyUnreadable:
      return ("what is kept of it cannot be read", recovery)
    case .anotherKey:
      return ("the one that is there does not open what was sealed", recovery)
    // The state.
    case .full:
      return (
        "the disk is full",
        #""df -h" shows which disk it is; make room, and the same call works again"#
      )
    case .corrupt:
      return (
        "the database is damaged",
        #""mfad --restore FILE", while the service is stopped, puts a backup back"#
      )
    case .busy:
      return (
        "something else holds it",
        #"try again; "journalctl -u mfad" says more"#
      )
    case .newer:
      return (
        "another version of mfad wrote it",
        "install that version of mfad again"
      )
    case .readOnly:
      return (
        "its files cannot be written",
        #""findmnt" shows how the disk is mounted; the state has to be the service's own to write"#
      )
    case .diskError:
      return (
        "the disk fails",
        #""journalctl -k" shows what the kernel says of the disk"#
      )
    // The machine.
    case .clockSkew:
      return (
        "one of them is wrong",
        #""timedatectl" shows what time it is here; "sudo timedatectl set-ntp true" has it kept right"#
      )
    }
  }
}

extension [String] {
  /// The names of causes.
  static func causes(_ causes: ErrorCause...) -> [String] { causes.map(\.rawValue) }
}

extension RPCError {
  /// The same error with its cause, which its sentence tells too, and what is known of it: the status of an answer, the
  /// origin that was asked, or what is wrong with its certificate.
  public func because(
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
    return saying("\(message): \(words)").caused(by: cause.rawValue)
      .advising(text.remedy).with(details)
  }
}

/// Why the certificate of a server is not believed.
public enum CertificateProblem: String, CaseIterable, Sendable {
  case expired
  case notYetValid = "not-yet-valid"
  /// It is somebody else's.
  case otherHost = "other-host"
  /// Nobody vouches for it whom this machine trusts.
  case unknownIssuer = "unknown-issuer"

  func explanation(at origin: Origin?) -> String {
    let certificate = "the certificate of \(origin?.text ?? "it")"
    return switch self {
    case .expired: "\(certificate) has expired, or the clock of this machine is wrong"
    case .notYetValid: "\(certificate) is not valid yet, or the clock of this machine is wrong"
    case .otherHost: "\(certificate) is for another host"
    case .unknownIssuer: "nobody whom this machine trusts vouches for \(certificate)"
    }
  }
}
