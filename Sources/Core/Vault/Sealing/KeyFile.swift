internal import ControlAPI
internal import EventLoop
public import Glibc
public import OpenSSL

/// A file with the material of a key-encryption key.
public enum KeyFile {
  private static let maximumCount = 4096

  /// The material; what others than the owner may read is refused, unless systemd answers for it.
  static func read(_ path: String, mayBeShared: Bool) throws -> Secret {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw KeyError.unreadable(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw KeyError.unreadable(errno) }
    guard mayBeShared || status.st_mode & 0o077 == 0 else { throw KeyError.exposed }
    var bytes = [UInt8](repeating: 0, count: maximumCount)
    defer { wipe(&bytes) }
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw KeyError.unreadable(errno) }
    var material = Array(bytes[..<count])
    defer { wipe(&material) }
    return Secret(copying: material)
  }

  /// The file appears whole under its name, in place of one that was there, and is on the disk when this returns.
  ///
  /// A group may read what is no secret any more.
  public static func write(_ material: Secret, to path: String, group: gid_t? = nil) throws {
    var bytes = material.withBytes { Array($0) }
    defer { wipe(&bytes) }
    try StableFile.write(bytes, to: path) { descriptor in
      guard let group else { return 0 }
      return fchown(descriptor, uid_t.max, group) | fchmod(descriptor, 0o640)
    }
  }
}

/// Why the key cannot be had.
public enum KeyError: Error, CustomStringConvertible {
  case unreadable(Int32)
  case exposed
  case tooShort
  /// It is kept sealed, and nobody has unsealed it.
  case sealed
  /// There is none at any of the places.
  case missing
  /// None of those that are there opens what was sealed.
  case another
  /// There is no copy of the key that this recovery key opens.
  case notRecovered

  /// What a caller hears of it, who hears of no path and no text of the system.
  var cause: ErrorCause {
    switch self {
    case .unreadable, .tooShort, .notRecovered: .keyUnreadable
    case .exposed: .keyExposed
    case .sealed: .keySealed
    case .missing: .keyMissing
    case .another: .anotherKey
    }
  }

  public var description: String {
    switch self {
    case .unreadable(let code): String(cString: strerror(code))
    case .exposed: "others than the owner may read it"
    case .tooShort: "it holds fewer than 32 bytes"
    case .sealed: "what keeps it sealed does not hand it over"
    case .missing: "it is nowhere"
    case .another: "it does not open what was sealed"
    case .notRecovered: "the recovery key opens no copy of it"
    }
  }
}
