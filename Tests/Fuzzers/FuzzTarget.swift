import EventLoop
import JSON

/// One parser of hostile input, called as the programs call it.
///
/// A parser may reject a case with an error. It must not crash, take long, or use much memory.
struct FuzzTarget: Sendable {
  /// The name in arguments, and of the corpus folder.
  let name: String
  /// Maximum length of generated inputs.
  ///
  /// Longer ones are mostly rejected by their length.
  let maximumLength: Int
  let read: @EventLoop @Sendable ([UInt8]) async throws -> Void

  init(
    _ name: String,
    maximumLength: Int = 32 * 1024,
    _ read: @escaping @EventLoop @Sendable ([UInt8]) async throws -> Void
  ) {
    (self.name, self.maximumLength, self.read) = (name, maximumLength, read)
  }

  /// A parser of text.
  ///
  /// Input that is not UTF-8 is skipped.
  init(
    text name: String,
    maximumLength: Int = 32 * 1024,
    _ read: @escaping @EventLoop @Sendable (String) async throws -> Void
  ) {
    self.init(name, maximumLength: maximumLength) { bytes in
      guard let text = String(validating: bytes, as: UTF8.self) else { return }
      try await read(text)
    }
  }

  /// A parser of a document that is received as JSON.
  init(
    json name: String,
    maximumLength: Int = 32 * 1024,
    _ read: @escaping @EventLoop @Sendable (JSON) async throws -> Void
  ) {
    self.init(name, maximumLength: maximumLength) { try await read(JSON(parsing: $0)) }
  }

  static let all: [FuzzTarget] = formats + tokens + enrolments + exports + courier + signOn + web + stored
}

/// Checks an invariant of parsed input.
///
/// Ends the process on failure, so that the case is kept.
func require(_ condition: Bool, _ rule: StaticString) {
  guard condition else { preconditionFailure("\(rule)") }
}
