public import ControlAPI
internal import Glibc
public import JSONRPC
internal import Journal
public import SQLite
internal import SystemCalls

extension SQLiteError: NamedError {
  public var rpcError: RPCError {
    // The row of the owner is gone: the owner was erased while this call waited.
    guard kind != .orphan else { return .notConfigured }
    Journal.error("the state cannot be read or written", ["error": self])
    return .storage(kind.cause)
  }
}

extension SQLiteError.Kind {
  fileprivate var cause: ErrorCause {
    switch self {
    case .full: .full
    case .readOnly: .readOnly
    case .busy: .busy
    case .newer: .newer
    case .replaced: .replaced
    case .missing: .missing
    case .failed: .diskError
    case .corrupt, .constraint, .orphan: .corrupt
    }
  }
}

/// The work was cancelled, because the program ends or the owner was erased.
extension CancellationError: NamedError {
  public var rpcError: RPCError { .noConnectivity }
}

extension SystemError {
  /// The error that a caller receives if a file cannot be written.
  var ofStorage: RPCError {
    Journal.error("the state cannot be read or written", ["error": self])
    let cause: ErrorCause =
      switch code {
      case ENOSPC, EDQUOT, EFBIG: .full
      case EROFS, EACCES, EPERM, ENOENT, ENOTDIR: .readOnly
      case EMFILE, ENFILE, ENOMEM, EINTR: .busy
      default: .diskError
      }
    return .storage(cause)
  }
}
