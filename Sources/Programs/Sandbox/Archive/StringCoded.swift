import JOSE
import JSON
import OpenSSL
import Time
import WebAddress

/// A value that the archive stores as one string.
protocol StringCoded: Codable {
  var spelling: String { get throws }

  init?(spelling: String)
}

extension StringCoded {
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let value = Self(spelling: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container,
        debugDescription: "not the text of a \(Self.self)"
      )
    }
    self = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(try spelling)
  }
}

extension ID: StringCoded {
  var spelling: String { text }

  init?(spelling: String) { self.init(spelling) }
}

extension Timestamp: StringCoded {
  var spelling: String { String(milliseconds) }

  init?(spelling: String) {
    guard let milliseconds = Int64(spelling) else { return nil }
    self.init(milliseconds: milliseconds)
  }
}

extension JSON: StringCoded {
  var spelling: String { text }

  init?(spelling: String) { try? self.init(parsing: spelling) }
}

extension JWK: StringCoded {
  var spelling: String { json.text }

  init?(spelling: String) {
    guard let key = JSON(spelling: spelling).flatMap(JWK.p256) else { return nil }
    self = key
  }
}

extension WebURL: StringCoded {
  var spelling: String { text }

  init?(spelling: String) { self.init(spelling) }
}

extension SigningKey: StringCoded {
  var spelling: String { get throws { try key.pkcs8().withBytes { Base64URL.encode(Array($0)) } } }

  init?(spelling: String) {
    guard let bytes = Base64URL.decode(spelling), let key = try? PrivateKey(pkcs8: Secret(copying: bytes))
    else { return nil }
    self.init(key)
  }
}
