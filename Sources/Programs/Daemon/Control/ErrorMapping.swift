internal import Authenticator
internal import ControlAPI
internal import JSON
internal import JSONRPC
internal import Journal
internal import SQLite

/// The one place in which what handlers throw becomes the error of a reply.
enum ErrorMapping {
  /// The error that a caller hears; what is not foreseen is journalled and heard as a fault of the program.
  static func rpcError(_ error: any Error) -> RPCError {
    switch error {
    case let error as RPCError: return error
    case let error as PlatformError: return error.rpcError
    case let error as SQLiteError: return storage(error)
    case is CancellationError: return .noConnectivity
    default:
      Journal.error("a request failed unexpectedly", ["error": String(describing: type(of: error))])
      return .internalFailure
    }
  }

  private static func storage(_ error: SQLiteError) -> RPCError {
    // The owner was erased while this waited for others.
    if error.kind == .orphan { return .notConfigured }
    Journal.error("the state cannot be read or written", ["error": error])
    switch error.kind {
    case .full, .readOnly, .corrupt, .busy, .newer:
      return .storage.with(["kind": .string(error.kind.rawValue)])
    case .orphan, .constraint, .failed: return .storage.with(["kind": "corrupt"])
    }
  }
}
