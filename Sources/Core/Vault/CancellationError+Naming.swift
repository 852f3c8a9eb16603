internal import ControlAPI
package import JSONRPC

/// What was waited for ended with the program or the owner.
extension CancellationError: NamedError {
  package var rpcError: RPCError { .noConnectivity }
}
