internal import ControlAPI
internal import EventLoop
public import Glibc
public import OpenSSL

/// A file with the material of a key-encryption key.
public enum KeyFile {
  private static let maximumCount = 4096

  /// Returns the material.
  ///
  /// Throws if users other than its owner can access the file, unless `mayBeShared`, which is meant for
  /// credentials from systemd.
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

  /// Writes the file atomically, replacing an existing one; the file is on the disk when this returns.
  ///
  /// With `group`, the group may read the file; use this only for material that is already sealed.
  public static func write(_ material: Secret, to path: String, group: gid_t? = nil) throws {
    try stage(material, for: path, group: group)()
  }

  /// Writes the file under another name; the returned closure renames it, replacing an existing file.
  public static func stage(
    _ material: Secret,
    for path: String,
    group: gid_t? = nil
  ) throws -> Sealer.PlaceKey {
    var bytes = material.withBytes { Array($0) }
    defer { wipe(&bytes) }
    let staged = try AtomicFile.stage(bytes, for: path) { descriptor in
      guard let group else { return 0 }
      return fchown(descriptor, uid_t.max, group) | fchmod(descriptor, 0o640)
    }
    return { try AtomicFile.rename(staged, to: path) }
  }
}

/// The reason that the key is unavailable.
public enum KeyError: Error, CustomStringConvertible {
  case unreadable(Int32)
  case exposed
  case tooShort
  /// The key is stored sealed and was not unsealed.
  case sealed
  /// There is no key at any of the places.
  case missing
  /// None of the available keys opens the sealed values.
  case another
  /// This recovery key opens no copy of the key.
  case notRecovered

  /// The cause that a caller receives; it contains no path and no system error text.
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
    case .exposed: "users other than its owner can access it"
    case .tooShort: "it holds fewer than 32 bytes"
    case .sealed: "it is sealed and was not unsealed"
    case .missing: "it is at none of its places"
    case .another: "it does not open the sealed data"
    case .notRecovered: "the recovery key opens no copy of it"
    }
  }
}
