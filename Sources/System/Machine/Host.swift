internal import CLinux
internal import Glibc
internal import SystemCalls

/// A machine as its files show it: this one, or a tree that a test made.
///
/// Every path is absolute and looked up below the root. What is read is bounded, and only regular files are read:
/// a pipe or a device in the place of a file makes nobody wait.
public struct Host: Sendable {
  /// The user who besides root may write what counts as protected.
  public let user: UInt32
  private let root: String

  /// The machine below a root, seen by a user.
  public init(root: String = "", user: UInt32? = nil) { (self.root, self.user) = (root, user ?? geteuid()) }

  /// The bytes of a file; `nil` if it cannot be read or is longer than the limit.
  func bytes(_ path: String, limit: Int) -> [UInt8]? {
    guard let descriptor = descriptor(path) else { return nil }
    defer { close(descriptor) }
    return try? readWhole(descriptor, atMost: limit)
  }

  /// The text of a file without white space around it; `nil` also if it is no UTF-8.
  func text(_ path: String, limit: Int = 4096) -> String? {
    let isSpace: (UInt8) -> Bool = {
      [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t")].contains($0)
    }
    guard let rest = bytes(path, limit: limit)?.drop(while: isSpace) else { return nil }
    guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(validating: rest[...last], as: UTF8.self)
  }

  /// A regular file, open to be read by functions that take such a stream; `nil` if it cannot be read.
  func open(_ path: String) -> UnsafeMutablePointer<FILE>? {
    guard let descriptor = descriptor(path) else { return nil }
    guard let stream = fdopen(descriptor, "r") else {
      close(descriptor)
      return nil
    }
    return stream
  }

  private func descriptor(_ path: String) -> Int32? {
    let descriptor = Glibc.open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// The names in a directory; `nil` if it cannot be read or holds more than the limit.
  func names(in path: String, limit: Int) -> [String]? {
    guard let directory = opendir(root + path) else { return nil }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name != ".", name != ".." else { continue }
      guard names.count < limit else { return nil }
      names.append(name)
    }
    return names
  }

  /// What lies at a path, a link for itself; `nil` if that cannot be told.
  func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(root + path, &status) == 0 ? status : nil
  }

  /// Whether something is at a path, links followed.
  func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// Whether an access list adds to the mode of something that is no link; `nil` if that cannot be told.
  func hasAccessList(_ path: String) -> Bool? {
    let answer = clinux_has_access_list(root + path)
    return answer < 0 ? nil : answer == 1
  }

  /// Where a link points to.
  func target(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(root + path, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    return String(validating: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// What the kernel and the installation call this machine.
public struct MachineNames: Sendable {
  /// As in `Linux`, `host`, `6.1.0-18-amd64` and `x86_64`, uname(2).
  public let system, host, release, hardware: String

  /// Those of this machine, now.
  public init() {
    var names = utsname()
    uname(&names)
    (system, host) = (Self.text(of: names.sysname), Self.text(of: names.nodename))
    (release, hardware) = (Self.text(of: names.release), Self.text(of: names.machine))
  }

  public var processors: Int { sysconf(Int32(_SC_NPROCESSORS_CONF)) }

  /// The id that the installation was given, machine-id(5); `nil` without one.
  public var installation: String? {
    let id = Host().text("/etc/machine-id", limit: 64)
    return id.flatMap { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) ? $0 : nil }
  }

  private static func text<Field>(of field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
