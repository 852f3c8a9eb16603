internal import CourierProtocol
internal import CurlClient

extension HTTPRequest {
  /// The request as it goes out.
  init(_ request: CourierRequest) {
    self.init(
      request.method.rawValue,
      request.url,
      headers: request.headers.map { ($0.name, $0.value) },
      body: request.body,
      timeout: request.timeout,
      maximumBody: CourierLimits.maximumBody
    )
  }
}

extension CourierResponse {
  /// The response as it came in.
  init(_ response: HTTPResponse) {
    self.init(
      status: response.status,
      headers: response.headers.map { CourierHeader($0.name, $0.value) },
      body: response.body
    )
  }
}

extension CourierFailure {
  /// What `mfad` is told of an error; its words stay here.
  init(_ error: CurlError) {
    switch error {
    case .refusedScheme: self = .refusedOrigin
    case .refusedAddress: self = .refusedAddress
    case .malformedHeader: self = .malformed
    case .unresolved: self = .unresolved
    case .refused: self = .refused
    case .unreachable, .setUp: self = .unreachable
    case .timeout: self = .timeout
    case .tls: self = .tls
    case .certificate(.expired): self = .expiredCertificate
    case .certificate(.notYetValid): self = .earlyCertificate
    case .certificate(.otherHost): self = .foreignCertificate
    case .certificate(.unknownIssuer): self = .unknownCertificate
    case .tooLarge: self = .tooLarge
    }
  }
}
