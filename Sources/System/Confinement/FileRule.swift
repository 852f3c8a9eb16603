internal import Glibc
internal import SystemCalls

/// Rights to files, with the kernel's bits, landlock(7).
public struct FileRights: OptionSet, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  private init(_ bits: Int...) { rawValue = bits.reduce(0) { $0 | 1 << UInt64($1) } }

  public static let execute = FileRights(0)
  /// The contents of files, and the names in directories.
  public static let read = FileRights(2, 3)
  /// The contents of files that are there.
  public static let overwrite = FileRights(1, 14)
  /// Regular files and directories made, moved and removed.
  public static let manage = FileRights(4, 5, 7, 8, 13)
  /// Files and sockets removed.
  public static let remove = FileRights(5)

  /// What a version of Landlock can take away: all that it knows, but what is done to devices only where it knows that.
  static func known(to version: Int) -> FileRights {
    let bits =
      switch version {
      case ..<2: 13
      case 2: 14
      case 3, 4: 15
      default: 16
      }
    return FileRights(rawValue: 1 << UInt64(bits) - 1)
  }
}

/// What a process may do with a file, or with everything in a directory.
public struct FileRule: Sendable, Equatable {
  public let path: String
  public let rights: FileRights

  public init(_ path: String, _ rights: FileRights) { (self.path, self.rights) = (path, rights) }

  /// The directory that holds a file, so that the file may be replaced.
  public static func around(_ file: String, _ rights: FileRights) -> FileRule {
    FileRule(containingDirectory(of: file), rights)
  }

  /// What reading a file takes, also where it is a link, and when it is replaced.
  public static func reaching(_ file: String) -> [FileRule] {
    var rules = [around(file, .read)]
    if let target = realpath(file, nil) {
      defer { free(target) }
      rules.append(around(String(cString: target), .read))
    }
    return rules
  }
}

extension FileRule {
  /// Where name look-ups, libraries and time zones are configured and kept.
  ///
  /// Whole directories: network managers and package managers replace single files while programs run.
  public static let system: [FileRule] = [
    FileRule("/etc", .read), FileRule("/usr", .read), FileRule("/lib", .read), FileRule("/lib64", .read),
  ]

  /// What resolves names of hosts and users besides: caches and lists of those who serve them.
  public static var resolver: [FileRule] {
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
  public static let devices: [FileRule] = [
    FileRule("/dev/null", [.read, .overwrite]), FileRule("/dev/urandom", .read),
    FileRule("/dev/random", .read),
  ]

  /// Where distributions keep certificate authorities outside /etc and /usr.
  public static let authorities: [FileRule] = [FileRule("/var/lib/ca-certificates", .read)]
}
