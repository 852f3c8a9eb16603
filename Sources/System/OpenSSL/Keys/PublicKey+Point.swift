extension PublicKey {
  /// The P-256 key of a point that is written with both coordinates (SEC 1 section 2.3.4); other forms are refused.
  package convenience init(p256Point: some Collection<UInt8>) throws(OpenSSLError) {
    let point = Array(p256Point)
    let length = Curve.p256.byteCount
    guard point.count == 1 + 2 * length, point[0] == uncompressedPoint else {
      throw OpenSSLError("PublicKey", refusing: "the point is not written with both coordinates")
    }
    try self.init(curve: .p256, x: point[1...length], y: point[(1 + length)...])
  }

  /// The point of an EC key with both coordinates (SEC 1 section 2.3.3); a key of another kind has none.
  package var point: [UInt8]? {
    guard case .ec(_, let x, let y) = components else { return nil }
    return [uncompressedPoint] + x + y
  }
}

/// The first byte of a point that is written with both coordinates, SEC 1 section 2.3.3.
let uncompressedPoint: UInt8 = 4
