internal import Glibc

extension FileRule {
  /// Where name look-ups, libraries and time zones are configured and kept.
  ///
  /// Whole directories: network managers and package managers replace single files while programs run.
  package static let system: [FileRule] = [
    FileRule("/etc", .read), FileRule("/usr", .read), FileRule("/lib", .read), FileRule("/lib64", .read),
  ]

  /// What resolves names of hosts and users besides: caches and lists of those who serve them.
  package static var resolver: [FileRule] {
    let services = ["/run/systemd/resolve", "/run/systemd/userdb", "/run/userdb", "/run/host/userdb"]
    let caches = ["/run/nscd", "/var/lib/sss/mc"]
    let managers = ["/run/NetworkManager", "/run/resolvconf", "/run/netconfig", "/run/connman"]
    // The list of name servers often lies where its manager writes it, and /etc has a link to it.
    let servers = realpath("/etc/resolv.conf", nil).map { path in
      defer { free(path) }
      return FileRule.around(String(cString: path), .read)
    }
    return (services + caches + managers).map { FileRule($0, .read) } + [servers].compactMap(\.self)
  }

  /// Sources of random numbers, for libraries that ask for them so, and what swallows everything.
  package static let devices: [FileRule] = [
    FileRule("/dev/null", [.read, .overwrite]), FileRule("/dev/urandom", .read),
    FileRule("/dev/random", .read),
  ]

  /// Where distributions keep certificate authorities outside /etc and /usr.
  package static let authorities: [FileRule] = [FileRule("/var/lib/ca-certificates", .read)]
}
