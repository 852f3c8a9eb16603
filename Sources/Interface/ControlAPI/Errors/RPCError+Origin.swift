package import JSONRPC

extension RPCError {
  /// Whether its code and name are the native SDK's.
  package var isOfNativeSDK: Bool { (10_000...10_024).contains(code) }
}
