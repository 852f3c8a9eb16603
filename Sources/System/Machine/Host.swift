internal import CLinux
internal import Glibc
internal import SystemCalls

/// The files of a machine: this one, or a directory tree of a test.
///
/// Every path is absolute and is appended to the root. `bytes`, `text` and `names` have a maximum size. Only
/// regular files are read, so that a pipe or a device at the path does not block.
public struct Host: Sendable {
  /// The user that, besides root, may write protected files.
  public let user: UInt32
  private let root: String

  /// Creates a view of the machine below a root directory; `user` defaults to the current user.
  public init(root: String = "", user: UInt32? = nil) { (self.root, self.user) = (root, user ?? geteuid()) }

  /// Returns the bytes of a file; `nil` if it is unreadable or longer than the limit.
  func bytes(_ path: String, limit: Int) -> [UInt8]? {
    guard let descriptor = descriptor(path) else { return nil }
    defer { close(descriptor) }
    return try? readWhole(descriptor, atMost: limit)
  }

  /// Returns the text of a file without surrounding white space; `nil` if it is unreadable, longer than the
  /// limit or not UTF-8.
  func text(_ path: String, limit: Int = 4096) -> String? {
    let isSpace: (UInt8) -> Bool = {
      [UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t")].contains($0)
    }
    guard let rest = bytes(path, limit: limit)?.drop(while: isSpace) else { return nil }
    guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(validating: rest[...last], as: UTF8.self)
  }

  /// Opens a regular file as a stream; `nil` if it is unreadable.
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

  /// Returns the names in a directory; `nil` if it is unreadable or has more entries than the limit.
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

  /// Returns the status of a path without following a symbolic link; `nil` if it is unknown.
  func status(_ path: String) -> stat? {
    var status = stat()
    return lstat(root + path, &status) == 0 ? status : nil
  }

  /// True if the path exists; follows symbolic links.
  func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

  /// True if the file, which is not a symbolic link, has a POSIX ACL; `nil` if that is unknown.
  func hasAccessList(_ path: String) -> Bool? {
    let answer = clinux_has_access_list(root + path)
    return answer < 0 ? nil : answer == 1
  }

  /// Returns the target of a symbolic link.
  func target(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(root + path, &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    return String(validating: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// The names and ids of this machine.
public struct MachineNames: Sendable {
  /// Fields of uname(2), such as `Linux`, `host`, `6.1.0-18-amd64` and `x86_64`.
  public let system, host, release, hardware: String

  /// Reads the current names of this machine.
  public init() {
    var names = utsname()
    uname(&names)
    (system, host) = (Self.text(of: names.sysname), Self.text(of: names.nodename))
    (release, hardware) = (Self.text(of: names.release), Self.text(of: names.machine))
  }

  public var processors: Int { sysconf(Int32(_SC_NPROCESSORS_CONF)) }

  /// The machine id of machine-id(5); `nil` without one.
  public var installation: String? {
    let id = Host().text("/etc/machine-id", limit: 64)
    return id.flatMap { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) ? $0 : nil }
  }

  private static func text<Field>(of field: Field) -> String {
    withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
