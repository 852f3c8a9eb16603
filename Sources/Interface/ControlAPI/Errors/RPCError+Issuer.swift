package import JSONRPC

// An issuer is asked like the platform, but is no part of it: whoever repairs one must not be sent to the other.

extension RPCError {
  /// Who signs people on did not do what it was asked.
  package static let issuerFailed = serverError.saying("the issuer failed")
  /// Who signs people on gave no answer.
  package static let issuerUnreachable = noConnectivity.saying("the issuer cannot be reached")
}
