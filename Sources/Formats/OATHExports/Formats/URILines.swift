extension ExportDecoder {
  static let uris = ExportDecoder(
    format: .uris,
    recognizes: { $0.begins(withScheme: "otpauth") },
    decode: { data throws(ExportError) in
      guard let lines = data.lines else { throw .malformed }
      return try .entries(of: lines) { ExportedEntry($0, uri: $1) }
    }
  )
}
