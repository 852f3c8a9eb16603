internal import CSQLite
internal import Glibc

/// A failed database call; its text names the error and contains no stored values.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors that the program handles differently.
  public enum Kind: String, Sendable {
    /// The disk or the quota is full.
    case full
    /// The file or its directory is not writable.
    case readOnly
    /// The file is damaged or not a database.
    case corrupt
    /// Another process holds a lock. A later attempt may succeed.
    case busy
    /// The file has an unknown schema version.
    case newer
    /// Another program moved, deleted or replaced the open file.
    case replaced
    /// There is no file, although other files belong to one.
    case missing
    /// The row's parent row does not exist.
    case orphan
    /// The change violates a constraint of the schema.
    case constraint
    case failed
  }

  public let kind: Kind
  /// SQLite's extended result code; 0 for other errors.
  public let code: Int32

  private let text: String?

  /// Creates an error without a result code of SQLite.
  public init(_ kind: Kind, _ text: String? = nil) { (self.kind, code, self.text) = (kind, 0, text) }

  /// Creates the error for a file with an unknown schema version.
  init(layout: Int, known: Int) {
    (kind, code) = (.newer, 0)
    text = "the file has layout \(layout), and this version of the program reads layout \(known)"
  }

  /// Creates an error from the last failure of a connection.
  ///
  /// For an I/O error, errno refines the kind.
  ///
  /// SQLite stores errno only for some calls, and not for a commit. So the call must be made in
  /// `withErrnoCleared`, and no other call may fail in between.
  init(of handle: OpaquePointer?) {
    let reason = errno
    let failure = SQLiteError(code: sqlite3_extended_errcode(handle))
    (code, text) = (failure.code, nil)
    guard code & 0xFF == SQLITE_IOERR, failure.kind != .corrupt else {
      kind = failure.kind
      return
    }
    kind =
      switch reason {
      case EROFS, EACCES, EPERM: .readOnly
      case EIO: .failed
      default: failure.kind
      }
  }

  init(code: Int32) {
    (self.code, text) = (code, nil)
    kind =
      switch code & 0xFF {
      case SQLITE_FULL: .full
      case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM: .readOnly
      case SQLITE_CORRUPT, SQLITE_NOTADB: .corrupt
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      // A page with a wrong checksum.
      case SQLITE_IOERR where code == 10 | 32 << 8: .corrupt
      case SQLITE_CONSTRAINT where code == 19 | 3 << 8: .orphan
      case SQLITE_CONSTRAINT: .constraint
      // Writing beyond a quota or a file-size limit is reported as an I/O error.
      case SQLITE_IOERR where code == 10 | 3 << 8 || code == 10 | 4 << 8: .full
      default: .failed
      }
  }

  /// SQLite's name of the error and its code, or a text of this module.
  public var description: String {
    if let text { return text }
    return code == 0
      ? "sqlite: \(kind.rawValue)" : "sqlite: \(String(cString: sqlite3_errstr(code))) (\(code))"
  }
}

/// Clears errno and calls SQLite, so that errno belongs to this call.
///
/// Not every error sets errno, and no call resets it.
func withErrnoCleared(_ call: () -> Int32) -> Int32 {
  errno = 0
  return call()
}
