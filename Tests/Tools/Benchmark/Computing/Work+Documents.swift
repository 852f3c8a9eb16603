internal import FoundationEssentials
internal import JSON

/// The claims that are read from an ID token.
private struct Claims: Decodable {
  let iss: String
  let sub: String
  let aud: String
  let exp: Int
  let iat: Int
  let nonce: String
  let env: String
  let amr: [String]
}

extension Claims {
  /// Reads the claims like the daemon.
  fileprivate init?(_ json: JSON) {
    guard let claims = json.object,
      let iss = claims["iss"]?.string, let sub = claims["sub"]?.string, let aud = claims["aud"]?.string,
      let exp = claims["exp"]?.int, let iat = claims["iat"]?.int, let nonce = claims["nonce"]?.string,
      let env = claims["env"]?.string, let amr = claims["amr"]?.array
    else { return nil }
    (self.iss, self.sub, self.aud, self.exp) = (iss, sub, aud, exp)
    (self.iat, self.nonce, self.env, self.amr) = (iat, nonce, env, amr.compactMap(\.string))
  }
}

extension Work {
  /// Parsing JSON: claims, compared with Foundation's decoder, and three kinds of larger documents.
  static let documents: [Work] = [
    Work(name: "json-claims") {
      Operation(bytes: claims.count) {
        guard let read = Claims(try JSON(parsing: claims)) else { throw WorkFailure("invalid claims") }
        keep(read)
      }
    },
    Work(name: "json-claims-foundation") {
      let (decoder, data) = (JSONDecoder(), Data(claims))
      return Operation(bytes: claims.count) { keep(try decoder.decode(Claims.self, from: data)) }
    },
    parsing("json-objects", objects),
    parsing("json-names", names),
    parsing("json-escapes", escapes),
  ]

  private static func parsing(_ name: String, _ document: [UInt8]) -> Work {
    Work(name: name) { Operation(bytes: document.count) { keep(try JSON(parsing: document)) } }
  }

  private static let claims = Array(
    """
    {"iss":"https://auth.pingone.eu/5f0c1d3e-8a8d-4f6c-9a0b-7b3f0f7c7d11/as","sub":"0ac7ff22-2d5a-4a4b-a2a9-2d1b1d1f6f3a",\
    "aud":"b6c1b5f0-6d0a-4f43-8a8b-0f1b7f2d9a77","exp":1900000000,"iat":1800000000,"nonce":"n-0S6_WzA2MjQ0S6_WzA2Mj",\
    "env":"5f0c1d3e-8a8d-4f6c-9a0b-7b3f0f7c7d11","acr":"Single_Factor","auth_time":1799999990,"amr":["pwd","mfa"],\
    "preferred_username":"ann","given_name":"Ann","family_name":"Example","email":"ann@example.com"}
    """.utf8
  )

  private static let objects = Array(
    "[\((0..<2000).map { #"{"id":\#($0),"name":"device","tags":["one","two"],"isOn":true,"place":null}"# }.joined(separator: ","))]"
      .utf8
  )

  private static let names = Array(
    "{\((0..<5000).map { #""name-\#($0)":\#($0)"# }.joined(separator: ","))}".utf8
  )

  private static let escapes = Array(
    "[\((0..<2000).map { _ in #""a \"word\" and\na line, \\ and \u00e9""# }.joined(separator: ","))]".utf8
  )
}
