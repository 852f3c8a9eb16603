package import JOSE
package import JSON

/// The keys of a device: one signs proofs, the other decisions.
package struct DeviceKeys {
  package let device: JWK
  package let answer: JWK

  /// The keys that a device sends when it is introduced or rotates them.
  package init?(_ body: JSONObject) {
    guard let device = body["deviceJwk"].flatMap({ try? JWK($0) }),
      let answer = body["answerJwk"].flatMap({ try? JWK($0) })
    else { return nil }
    (self.device, self.answer) = (device, answer)
  }

  package var thumbprint: String { device.thumbprint }

  /// The claims of a decision that one of these keys signed.
  package func decision(_ body: JSONObject, signedBy key: KeyPath<DeviceKeys, JWK>) -> JSONObject? {
    guard let token = try? CompactJWS(parsing: body["decision"]?.string ?? ""),
      token.header.type == "decision+jwt"
    else { return nil }
    return try? token.verified(with: self[keyPath: key], allowing: [.es256]).claims()
  }
}

/// The keys by which a platform identifies a device.
package struct DeviceKeyRing {
  package private(set) var current: DeviceKeys
  /// The keys of a rotation.
  ///
  /// The first proof by them ends the current ones.
  private var next: DeviceKeys?

  package init(_ keys: DeviceKeys) { current = keys }

  package func keys(_ thumbprint: String) -> DeviceKeys? {
    [current, next].compactMap(\.self).first { $0.thumbprint == thumbprint }
  }

  package mutating func rotate(to keys: DeviceKeys) {
    if keys.thumbprint != current.thumbprint { next = keys }
  }

  /// Returns the keys that a proof names; `nil` if the device has no such key.
  package mutating func admit(_ thumbprint: String) -> DeviceKeys? {
    guard let keys = keys(thumbprint) else { return nil }
    if keys.thumbprint != current.thumbprint { (current, next) = (keys, nil) }
    return keys
  }
}
