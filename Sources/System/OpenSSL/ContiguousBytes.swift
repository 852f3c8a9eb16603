extension Collection<UInt8> {
  /// Lends the bytes in one piece; a collection that is not in one piece is copied, and the copy wiped.
  func withContiguousBytes<Value, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let outcome = withContiguousStorageIfAvailable { storage in
      Result { () throws(Failure) in try body(storage) }
    }
    if let outcome { return try outcome.get() }
    var copy = Array(self)
    defer { wipe(&copy) }
    return try copy.withUnsafeBufferPointer(body)
  }
}
