internal import JOSE
internal import JSON
import OpenIDConnect
internal import PingOne
internal import Time

extension Work {
  /// The complete check of an ID token.
  ///
  /// Standard input: `token`, `keys` (a JWK set), `issuer`, `client` and `nonce`.
  static let tokens: [Work] = [
    Work(name: "id-token") {
      let given = try JSON(parsing: StandardInput.bytes())
      guard let token = given["token"]?.string, let keys = given["keys"],
        let issuer = given["issuer"]?.string,
        let client = given["client"]?.string, let nonce = given["nonce"]?.string
      else { throw WorkFailure("standard input lacks token, keys, issuer, client or nonce") }
      let set = try JWKSet(keys)
      let expected = IDToken.Expectation(
        issuer: issuer,
        clientID: client,
        algorithms: [.rs256, .es256],
        nonce: nonce
      )
      let now = TimeSource.system.now()
      return Operation { keep(try IDToken(verifying: token, keys: set, expected, now: now).user) }
    }
  ]
}
