internal import ControlAPI
internal import CourierProtocol
internal import JSON
internal import JSONRPC
internal import Text
internal import WebAddress

/// An error of an OAuth endpoint, RFC 6749 section 5.2.
struct OAuthError: Error, Sendable, Equatable {
  /// The error's name, `invalid_grant` and so on.
  let code: String
  /// What the server says of it, made fit to be shown.
  let message: String?
  /// The status that it came with.
  let status: Int

  /// Reads a response that brought no tokens; which status it came with differs between servers.
  init?(_ response: CourierResponse) {
    guard let json = try? JSON(parsing: response.body), let code = json["error"]?.string,
      code.utf8.count <= 64
    else { return nil }
    self.code = DisplayText.clean(code)
    status = response.status
    message = json["error_description"]?.string.map { DisplayText.clean($0) }
  }
}

extension SignOnFailure {
  /// What an OAuth endpoint refuses: in the server's words, or else by the error's name.
  static func refused(_ error: OAuthError) -> SignOnFailure {
    .refused(error.message ?? error.code, code: error.code)
  }
}

extension RPCError {
  /// What an issuer answered that is not what it was asked for: an error, or nothing that can be read.
  static func issuerFailed(_ response: CourierResponse, at url: WebURL) -> RPCError {
    (200..<300).contains(response.status)
      ? issuerFailed.because(.malformed, at: url.origin)
      : issuerFailed.because(.http, status: response.status, at: url.origin)
  }
}
