internal import ControlAPI
internal import CourierProtocol
internal import JSON
internal import JSONRPC
internal import Text
internal import WebAddress

/// An error of an OAuth endpoint, RFC 6749 section 5.2.
struct OAuthError: Error, Sendable, Equatable {
  /// The error code, for instance `invalid_grant`.
  let code: String
  /// The server's description, cleaned for display.
  let message: String?
  /// The HTTP status of the response.
  let status: Int

  /// Reads an error response of any HTTP status, because servers differ; `nil` without an error code.
  init?(_ response: CourierResponse) {
    guard let json = try? JSON(parsing: response.body), let code = json["error"]?.string,
      code.utf8.count <= 64
    else { return nil }
    self.code = DisplayText.clean(code)
    status = response.status
    message = json["error_description"]?.string.map { DisplayText.clean($0) }
  }
}

extension OAuthError {
  /// True if the user or the server denied the request.
  var isDenial: Bool { SignOnFailure.isDenial(code) }
}

extension SignOnFailure {
  /// The failure for an error of an OAuth endpoint: the server's description or, without one, the error code.
  static func refused(_ error: OAuthError) -> SignOnFailure {
    .refused(error.message ?? error.code, code: error.code)
  }
}

extension RPCError {
  /// The error for an unexpected response of an issuer: an HTTP error status or an unreadable body.
  static func issuerFailed(_ response: CourierResponse, at url: WebURL) -> RPCError {
    (200..<300).contains(response.status)
      ? issuerFailed.withCause(.malformed, at: url.origin)
      : issuerFailed.withCause(.http, status: response.status, at: url.origin)
  }
}
