/// What another authenticator has handed over, as one file or text.
package struct Export: Sendable {
  package enum Contents: Sendable {
    case plain([ExportedEntry])
    /// Only a password opens it.
    case encrypted(EncryptedExport)
  }

  package let format: ExportFormat
  package let contents: Contents

  /// Fits a line of the control interface, encoded in Base64.
  package static let maximumBytes = 180 * 1024
  static let maximumEntries = 1000

  /// Reads data in a format; without one by what the data shows, if that is only one.
  package init(
    _ data: [UInt8],
    as format: ExportFormat? = nil,
    maximumBytes: Int = maximumBytes
  ) throws(ExportError) {
    guard data.count <= maximumBytes else { throw .tooLong(maximum: maximumBytes) }
    let data = try ExportData(data)
    let decoders = ExportDecoder.all.filter { decoder in
      format.map { $0 == decoder.format } ?? decoder.recognizes(data)
    }
    guard let decoder = decoders.first, decoders.count == 1 else { throw .unknownFormat }
    self.format = decoder.format
    contents = try decoder.decode(data)
  }
}
