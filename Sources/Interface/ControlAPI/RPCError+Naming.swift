internal import JSON
package import JSONRPC
internal import Journal

/// An error of a module that says which error of the interface a caller hears for it.
package protocol NamedError: Error {
  var rpcError: RPCError { get }
}

extension RPCError {
  /// The error that a caller hears; what is not foreseen is journalled and heard as a fault of the program.
  ///
  /// The one place in which an error becomes one of the interface's.
  package init(naming error: any Error) {
    switch error {
    case let error as RPCError: self = error
    case let error as any NamedError: self = error.rpcError
    default:
      Journal.error("a request failed unexpectedly", ["error": String(describing: type(of: error))])
      self = .internalFailure
    }
  }
}
