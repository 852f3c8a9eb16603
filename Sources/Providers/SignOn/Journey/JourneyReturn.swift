internal import JSONRPC
internal import WebAddress

/// The address that a person brings back to a journey: a link of an e-mail, or where a browser ended.
struct JourneyReturn: Sendable {
  /// What of the address the server is asked with.
  let query: [(String, String)]
  /// Whether it leads to a journey that was suspended, and not on from the step that sent the browser away.
  let isSuspension: Bool

  /// The parameter that a suspended journey is found by.
  static let suspension = "suspendedId"

  /// What other servers hand back: OAuth and OpenID Connect, forms, and SAML.
  private static let handedOn: Set<String> = [
    "code", "error", "errorCode", "errorMessage", "form_post_entry", "nonce", "RelayState", "responsekey",
    "scope", "state",
  ]

  /// Reads an address; it has to be one of the server, or the redirect URI of this daemon.
  init(_ address: String, server: JourneyServer, redirectURI: String?) throws(RPCError) {
    guard let address = RedirectAddress(pasted: address),
      address.leads(to: server.authenticate.origin) || redirectURI.map(address.leads(to:)) == true,
      let parameters = address.parameters
    else { throw .invalidParameter("uri") }
    isSuspension = parameters.contains { $0.0 == Self.suspension && !$0.1.isEmpty }
    let names = isSuspension ? Self.handedOn.union([Self.suspension]) : Self.handedOn
    query = parameters.filter { names.contains($0.0) }
    guard !query.isEmpty else { throw .invalidParameter("uri") }
  }
}
