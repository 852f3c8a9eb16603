/// The segments of a compact serialization, not decoded.
struct CompactText {
  /// The text as bytes.
  let bytes: [UInt8]
  /// The segments between the dots.
  let segments: [ArraySlice<UInt8>]

  /// Splits a text.
  ///
  /// Throws an error unless it has at most `maximumLength` bytes and exactly `segmentCount` segments.
  init(_ text: some StringProtocol, maximumLength: Int, segmentCount: Int) throws(JOSEError) {
    guard text.utf8.count <= maximumLength else { throw .tooLong }
    bytes = Array(text.utf8)
    // One more segment than expected suffices to detect an excess.
    segments = bytes.split(
      separator: UInt8(ascii: "."),
      maxSplits: segmentCount,
      omittingEmptySubsequences: false
    )
    guard segments.count == segmentCount else { throw .malformed }
  }

  /// Returns the decoded bytes of a segment.
  func decoded(_ index: Int) throws(JOSEError) -> [UInt8] {
    guard let bytes = Base64URL.decode(segments[index]) else { throw .malformed }
    return bytes
  }
}
