internal import Glibc
internal import OpenSSL

/// The key that wraps every data key, and where it came from.
struct KeyEncryptionKey: Sendable {
  /// What keeps the key.
  enum Source: String, Sendable {
    case credential
    /// A file in the state directory that only the service can read.
    case keyFile = "key-file"
  }

  let key: Secret
  let source: Source

  private static let minimumCount = 32
  private static let maximumCount = 4096
  private static let fileName = "key"

  /// Reads the systemd credential if there is one, else the key file.
  ///
  /// A missing key file is made only when nothing has been sealed yet: a new key could not open old secrets.
  static func load(credential: String, stateDirectory: String, mayCreate: Bool) throws -> KeyEncryptionKey {
    if let directory = getenv("CREDENTIALS_DIRECTORY") {
      let path = String(cString: directory) + "/" + credential
      if access(path, F_OK) == 0 { return try KeyEncryptionKey(contentsOf: path, source: .credential) }
    }
    let path = stateDirectory + "/" + fileName
    if access(path, F_OK) != 0, mayCreate { try create(at: path) }
    return try KeyEncryptionKey(contentsOf: path, source: .keyFile)
  }

  /// The secret is hashed, so that a credential of any form gives a key of the right length.
  private init(contentsOf path: String, source: Source) throws {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw KeyError.unreadable(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw KeyError.unreadable(errno) }
    guard source == .credential || status.st_mode & 0o077 == 0 else { throw KeyError.exposed }
    var bytes = [UInt8](repeating: 0, count: Self.maximumCount)
    defer { wipe(&bytes) }
    let count = read(descriptor, &bytes, bytes.count)
    guard count >= Self.minimumCount else { throw KeyError.tooShort }
    var derived = try digest(Array("mfad key-encryption key/".utf8) + bytes[..<count], .sha256)
    defer { wipe(&derived) }
    key = Secret(copying: derived)
    self.source = source
  }

  /// The file appears whole under its name and is on the disk before anything is sealed with it.
  private static func create(at path: String) throws {
    var bytes = try randomBytes(minimumCount)
    defer { wipe(&bytes) }
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw KeyError.unreadable(errno) }
    defer { close(descriptor) }
    guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0,
      link(temporary, path) == 0 || errno == EEXIST
    else { throw KeyError.unreadable(errno) }
    unlink(temporary)
    let directory = Glibc.open(String(path.dropLast(fileName.count)), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  /// Why the key cannot be had.
  enum KeyError: Error, CustomStringConvertible {
    case unreadable(Int32)
    case exposed
    case tooShort

    var description: String {
      switch self {
      case .unreadable(let code): String(cString: strerror(code))
      case .exposed: "others than the owner may read it"
      case .tooShort: "it holds fewer than 32 bytes"
      }
    }
  }
}
