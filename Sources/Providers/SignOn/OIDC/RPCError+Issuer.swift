internal import ControlAPI
internal import CourierProtocol
internal import JSONRPC
internal import WebAddress

extension RPCError {
  /// What an issuer answered that is not what it was asked for: an error, or nothing that can be read.
  static func issuerFailed(_ response: CourierResponse, at url: WebURL) -> RPCError {
    (200..<300).contains(response.status)
      ? issuerFailed.because(.malformed, at: url.origin)
      : issuerFailed.because(.http, status: response.status, at: url.origin)
  }

  /// An issuer whose OpenID configuration lacks what is needed now.
  static func issuerLacks(_ endpoint: Discovery.Endpoint, _ issuer: Discovery) -> RPCError {
    issuerFailed.because(.discovery, at: WebURL(issuer.issuer)?.origin)
      .saying("the issuer \(issuer.issuer) has no \(endpoint.rawValue) in its OpenID configuration")
  }
}
