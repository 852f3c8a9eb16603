internal import JSON

extension ExportDecoder {
  /// FreeOTP+'s tokens; their secrets are arrays of signed bytes.
  static let freeOTP = ExportDecoder(
    format: .freeOTP,
    recognizes: { data in data.json?["tokens"]?.array != nil && data.json?["tokenOrder"] != nil },
    decode: { data throws(ExportError) in
      guard let tokens = data.json?["tokens"]?.array else { throw .malformed }
      return try .entries(of: tokens) { index, token in
        let issuer = token["issuerInt"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        let draft = EntryDraft(
          type: token["type"],
          secret: secret(token["secret"]),
          algorithm: token["algo"],
          digits: token["digits"],
          period: token["period"],
          counter: token["counter"],
          issuer: issuer.map { .string($0) } ?? token["issuerExt"],
          label: token["label"]
        )
        return ExportedEntry(index, draft)
      }
    }
  )

  private static func secret(_ bytes: JSON?) -> JSON? {
    guard let numbers = bytes?.array else { return nil }
    let bytes = numbers.compactMap { $0.int.flatMap(Int8.init(exactly:)) }.map(UInt8.init(bitPattern:))
    return bytes.count == numbers.count ? .string(Base32.encode(bytes)) : nil
  }
}
