internal import ControlAPI
internal import Glibc
internal import JSONRPC
internal import Journal
internal import SystemCalls

extension SystemError {
  /// The error that a caller hears of a file that cannot be written.
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
