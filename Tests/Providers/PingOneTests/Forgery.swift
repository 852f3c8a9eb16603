import JOSE
import JSON
import OpenSSL

/// A token that a test puts together piece by piece, so that any piece can be wrong.
struct Forgery {
  var header: JSONObject
  var claims: JSONObject
  var key: PrivateKey
  var scheme: SignatureScheme

  /// Texts that stand in for the header or the claims as they are.
  var rawHeader: String?
  var rawClaims: String?
  /// What becomes of the finished token.
  var ending: (String) -> String = { $0 }

  /// The compact token.
  func text() throws -> String {
    let segments = [
      rawHeader.map { Array($0.utf8) } ?? JSON.object(header).serialized,
      rawClaims.map { Array($0.utf8) } ?? JSON.object(claims).serialized,
    ]
    let input = segments.map { Base64URL.encode($0) }.joined(separator: ".")
    return ending(input + "." + Base64URL.encode(try key.sign(Array(input.utf8), scheme: scheme)))
  }
}

/// One thing that is wrong with a token, and how it has to be refused.
struct Defect<Rejection: Error & Equatable> {
  let name: String
  let rejection: Rejection
  let apply: (inout Forgery) -> Void

  init(_ name: String, _ rejection: Rejection, _ apply: @escaping (inout Forgery) -> Void) {
    (self.name, self.rejection, self.apply) = (name, rejection, apply)
  }

  /// A claim with another value, or without one.
  static func claim(_ name: String, _ value: JSON?, _ rejection: Rejection) -> Defect {
    Defect("\(name) \(value?.text ?? "absent")", rejection) { $0.claims[name] = value }
  }

  /// A header member with another value, or without one.
  static func header(_ name: String, _ value: JSON?, _ rejection: Rejection) -> Defect {
    Defect("header \(name) \(value?.text ?? "absent")", rejection) { $0.header[name] = value }
  }
}
