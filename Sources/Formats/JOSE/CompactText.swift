/// The segments of a compact serialization, before anything in them is understood.
struct CompactText {
  /// The text as bytes.
  let bytes: [UInt8]
  /// The segments between the dots.
  let segments: [ArraySlice<UInt8>]

  /// Splits a text of at most so many bytes into exactly so many segments.
  init(_ text: some StringProtocol, maximumLength: Int, segmentCount: Int) throws(JOSEError) {
    guard text.utf8.count <= maximumLength else { throw .tooLong }
    bytes = Array(text.utf8)
    // One more than wanted is enough to know that there are too many.
    segments = bytes.split(
      separator: UInt8(ascii: "."),
      maxSplits: segmentCount,
      omittingEmptySubsequences: false
    )
    guard segments.count == segmentCount else { throw .malformed }
  }

  /// The bytes that a segment stands for.
  func decoded(_ index: Int) throws(JOSEError) -> [UInt8] {
    guard let bytes = Base64URL.decode(segments[index]) else { throw .malformed }
    return bytes
  }
}
