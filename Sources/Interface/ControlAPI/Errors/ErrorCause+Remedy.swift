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
    case .noClientID: return #"set "client_id" in mfad.conf, then "sudo systemctl reload mfad""#
    case .keyMissing, .keyUnreadable, .anotherKey: return Self.recovery
    case .keySealed: return #""journalctl -u mfad-key" says why; \#(Self.recovery)"#
    case .keyExposed:
      return
        #""chmod 600" on "key" in the state directory closes it; "mfad --rekey" makes a new one, if it was read"#
    case .full: return #""df -h" shows which disk it is; make room, and the same call works again"#
    case .readOnly:
      return #""findmnt" shows how the disk is mounted; the state has to be the service's own to write"#
    case .corrupt: return #""mfad --restore FILE", while the service is stopped, puts a backup back"#
    case .diskError: return #""journalctl -k" shows what the kernel says of the disk"#
    case .busy: return #"try again; "journalctl -u mfad" says more"#
    case .newer: return "install the later mfad again"
    case .clockSkew:
      return
        #""timedatectl" shows what time it is here; "sudo timedatectl set-ntp true" has it kept right"#
    }
  }

  private static let recovery =
    #""mfad --recover", while the service is stopped, brings it back by the recovery key"#
}
