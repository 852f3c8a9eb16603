internal import WebAddress

extension ErrorCause {
  /// What a person can do next about an error of this cause, at the origin that was asked.
  func remedy(at origin: Origin?) -> String {
    let host = origin?.host ?? "NAME"
    let address = origin?.text ?? "ADDRESS"
    switch self {
    case .dns:
      return
        #""getent hosts \#(host)" asks the resolver of this machine; passcodes work without the platform"#
    case .refused, .brokenOff:
      return #""curl -I \#(address)" tries it from here; passcodes work without the platform"#
    case .timeout:
      return "try again; if it stays so, something between may keep it (\"proxy\" in mfad.conf); "
        + "passcodes work without the platform"
    case .tls:
      return
        #""curl -vI \#(address)" shows the certificate; "ca_file" in mfad.conf names authorities of your own"#
    case .http, .malformed, .notPlatform:
      return #""curl -i \#(address)" shows what is there; mfad.conf has its address ("platform", "issuer")"#
    case .discovery:
      return
        #""curl ISSUER/.well-known/openid-configuration" shows it, with what mfad.conf has as "issuer" for ISSUER"#
    case .issuerMismatch: return #""issuer" in mfad.conf has to be spelled as the issuer spells itself"#
    case .notAllowed:
      return #"name its origin in mfad.conf ("platform", "issuer", "journey_server" …), then restart mfad"#
    case .courierUnavailable: return #"try again; "journalctl -u mfad-courier -u mfad" says why it ended"#
    case .notPinned:
      return
        #"somebody may be in between; if the platform has a new key, set it in mfad.conf ("platform_key")"#
    case .noPlatform: return #"set "platform" in mfad.conf, then restart mfad"#
    case .noClientID: return #"set "client_id" in mfad.conf, then "systemctl reload mfad""#
    }
  }
}
