internal import Glibc
internal import SystemCalls

/// File access rights, as bits of landlock(7).
public struct FileRights: OptionSet, Sendable {
  public let rawValue: UInt64

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  private init(_ bits: Int...) { rawValue = bits.reduce(0) { $0 | 1 << UInt64($1) } }

  public static let execute = FileRights(0)
  /// Reading files and listing directories.
  public static let read = FileRights(2, 3)
  /// Writing and truncating existing files.
  public static let overwrite = FileRights(1, 14)
  /// Creating, moving and removing regular files and directories.
  public static let manage = FileRights(4, 5, 7, 8, 13)
  /// Removing files and sockets.
  public static let remove = FileRights(5)

  /// Returns the rights that a Landlock version can restrict, including device ioctls from version 5.
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

/// The rights of a process to a file, or to everything below a directory.
public struct FileRule: Sendable, Equatable {
  public let path: String
  public let rights: FileRights

  public init(_ path: String, _ rights: FileRights) { (self.path, self.rights) = (path, rights) }

  /// Returns a rule for the directory of a file, so that the file may be replaced.
  public static func around(_ file: String, _ rights: FileRights) -> FileRule {
    FileRule(containingDirectory(of: file), rights)
  }

  /// Returns the rules for reading a file, even if it is a symbolic link or is replaced later.
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
  /// Configuration and data of name resolution, libraries and time zones.
  ///
  /// The rules are for whole directories, because network and package managers replace single files while
  /// programs run.
  public static let system: [FileRule] = [
    FileRule("/etc", .read), FileRule("/usr", .read), FileRule("/lib", .read), FileRule("/lib64", .read),
  ]

  /// Further files for the resolution of host and user names: caches, and the files of resolver services.
  public static var resolver: [FileRule] {
    let services = ["/run/systemd/resolve", "/run/systemd/userdb", "/run/userdb", "/run/host/userdb"]
    let caches = ["/run/nscd", "/var/lib/sss/mc"]
    let managers = ["/run/NetworkManager", "/run/resolvconf", "/run/netconfig", "/run/connman"]
    // /etc/resolv.conf is often a symbolic link to a file of a network manager.
    let servers = realpath("/etc/resolv.conf", nil).map { path in
      defer { free(path) }
      return FileRule.around(String(cString: path), .read)
    }
    return (services + caches + managers).map { FileRule($0, .read) } + [servers].compactMap(\.self)
  }

  /// The null device, and random devices for libraries that read them.
  public static let devices: [FileRule] = [
    FileRule("/dev/null", [.read, .overwrite]), FileRule("/dev/urandom", .read),
    FileRule("/dev/random", .read),
  ]

  /// Directories of certificate authorities outside /etc and /usr.
  public static let authorities: [FileRule] = [FileRule("/var/lib/ca-certificates", .read)]
}
