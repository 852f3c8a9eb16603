package import CourierProtocol

extension CourierRequest {
  /// Returns the value of a header field.
  ///
  /// Upper and lower case in its name are equivalent.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

extension CourierResponse {
  package static func text(_ text: String) -> CourierResponse {
    CourierResponse(status: 200, headers: [], body: Array(text.utf8))
  }

  package var text: String { String(decoding: body, as: UTF8.self) }
}

extension CourierOrder {
  /// The id of a request; `nil` for any other order.
  package var requestID: ExchangeID? {
    if case .request(let id, _) = self { id } else { nil }
  }

  /// The id of an order to listen; `nil` for any other order.
  package var listenID: ExchangeID? {
    if case .listen(let id, _) = self { id } else { nil }
  }
}

extension ExpectedRedirect {
  /// A redirect with the `state` "s" and its SHA-256 digest.
  package static func withState(path: String, timeout: Duration) -> ExpectedRedirect {
    let digest: [UInt8] = [
      0x04, 0x3a, 0x71, 0x87, 0x74, 0xc5, 0x72, 0xbd, 0x8a, 0x25, 0xad, 0xbe, 0xb1, 0xbf, 0xcd, 0x5c,
      0x02, 0x56, 0xae, 0x11, 0xce, 0xcf, 0x9f, 0x9c, 0x3f, 0x92, 0x5d, 0x0e, 0x52, 0xbe, 0xaf, 0x89,
    ]
    return ExpectedRedirect(path: path, stateDigest: digest, timeout: timeout)
  }
}
