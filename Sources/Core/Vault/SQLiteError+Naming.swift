internal import ControlAPI
package import JSONRPC
internal import Journal
package import SQLite

extension SQLiteError: NamedError {
  package var rpcError: RPCError {
    // The owner was erased while this waited for others.
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
    case .failed: .diskError
    case .corrupt, .constraint, .orphan: .corrupt
    }
  }
}
