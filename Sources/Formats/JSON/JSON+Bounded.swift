extension JSON {
  /// The most bytes of a value that is handed on as it came, which nobody cleans.
  private static let longestHandedOn = 8 * 1024

  /// The value exactly as it came; `nil` for null, and for one that is too long to be handed on.
  package var bounded: JSON? { isNull || serialized.count > Self.longestHandedOn ? nil : self }
}
