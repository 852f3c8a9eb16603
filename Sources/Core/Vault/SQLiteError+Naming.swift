internal import ControlAPI
internal import JSON
package import JSONRPC
internal import Journal
package import SQLite

extension SQLiteError: NamedError {
  package var rpcError: RPCError {
    switch kind {
    // The owner was erased while this waited for others.
    case .orphan: return .notConfigured
    case .full, .readOnly, .corrupt, .busy, .newer:
      Journal.error("the state cannot be read or written", ["error": self])
      return .storage.with(["kind": .string(kind.rawValue)])
    case .constraint, .failed:
      Journal.error("the state cannot be read or written", ["error": self])
      return .storage.with(["kind": "corrupt"])
    }
  }
}
