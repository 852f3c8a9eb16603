internal import CSQLite
internal import Glibc

/// A database call that failed; the text is SQLite's own name of the failure and never holds values.
public struct SQLiteError: Error, Sendable, CustomStringConvertible {
  /// What a caller can do about a failure.
  public enum Kind: String, Sendable {
    /// The disk or the quota is full.
    case full
    /// The file or its directory may not be written.
    case readOnly
    /// The file is damaged or no database.
    case corrupt
    /// Another process holds a lock; the same call may work later.
    case busy
    /// The file has a layout that this version of the program does not know.
    case newer
    /// What the row would belong to is not there any more.
    case orphan
    /// A rule of the schema forbids the change.
    case constraint
    case failed
  }

  /// What a caller can do about it.
  public let kind: Kind
  /// SQLite's extended result code, 0 when the failure is not SQLite's.
  public let code: Int32

  private let text: String?

  /// A failure that is not SQLite's.
  public init(_ kind: Kind) { (self.kind, code, text) = (kind, 0, nil) }

  /// A file of a layout that this program does not know.
  init(layout: Int, known: Int) {
    (kind, code) = (.newer, 0)
    text = "the file has layout \(layout), and this version of the program reads layout \(known)"
  }

  /// The last failure of a connection, by what the system said where SQLite says only that reading or writing failed.
  ///
  /// SQLite itself keeps that for some calls only, and not for the end of a transaction. So the call has to be one of
  /// `withErrnoCleared`, and nothing has failed since.
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
      // A page that does not have the checksum that it was written with.
      case SQLITE_IOERR where code == 10 | 32 << 8: .corrupt
      case SQLITE_CONSTRAINT where code == 19 | 3 << 8: .orphan
      case SQLITE_CONSTRAINT: .constraint
      // Writing beyond a quota or a file-size limit comes as an I/O error.
      case SQLITE_IOERR where code == 10 | 3 << 8 || code == 10 | 4 << 8: .full
      default: .failed
      }
  }

  /// SQLite's name of the failure.
  public var description: String {
    if let text { return text }
    return code == 0
      ? "sqlite: \(kind.rawValue)" : "sqlite: \(String(cString: sqlite3_errstr(code))) (\(code))"
  }
}

/// Makes a call of SQLite's, after which what the system says is of that call: not every failure is the system's, and
/// nothing takes back what it said of an earlier one.
func withErrnoCleared(_ call: () -> Int32) -> Int32 {
  errno = 0
  return call()
}
