import EventLoop
import JSON

/// One reader of hostile input, entered as the programs enter it.
///
/// What a case reads it may refuse with an error of its own; it must not crash, take long, or hold much memory.
struct FuzzTarget: Sendable {
  /// By which it is asked for; the folder of its corpus has the same name.
  let name: String
  /// The longest input that is made; what is longer is mostly refused by its length.
  let maximumLength: Int
  let read: @EventLoop @Sendable ([UInt8]) async throws -> Void

  init(
    _ name: String,
    maximumLength: Int = 32 * 1024,
    _ read: @escaping @EventLoop @Sendable ([UInt8]) async throws -> Void
  ) {
    (self.name, self.maximumLength, self.read) = (name, maximumLength, read)
  }

  /// A reader of text; what is not UTF-8 never gets that far.
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

  /// A reader of a document that came as JSON.
  init(
    json name: String,
    maximumLength: Int = 32 * 1024,
    _ read: @escaping @EventLoop @Sendable (JSON) async throws -> Void
  ) {
    self.init(name, maximumLength: maximumLength) { try await read(JSON(parsing: $0)) }
  }

  static let all: [FuzzTarget] = formats + tokens + enrolments + exports + courier + signOn + web + stored
}

/// What must hold of whatever was read; ends the process, so that the case is kept.
func require(_ condition: Bool, _ rule: StaticString) {
  guard condition else { preconditionFailure("\(rule)") }
}
