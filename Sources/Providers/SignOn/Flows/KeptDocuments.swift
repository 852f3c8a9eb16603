internal import EventLoop
internal import Glibc
internal import JSON
internal import Vault

/// The documents that a sign-on keeps between two calls, as JSON text that counts as memory of its owner.
///
/// Other data that a client or a server sizes freely counts here too.
///
/// A parsed document can take more than ten times the memory of its text, so it is parsed again when needed.
@EventLoop
final class KeptDocuments {
  enum Kind: Hashable {
    /// The server's step, to be answered.
    case step
    /// The last page that the client got from the flow.
    case page
    /// The input that waits for the user's decision about passcodes.
    case input
    /// The username that the user entered in an earlier step.
    case username
  }

  /// Data that the sign-on keeps elsewhere.
  enum Held: Hashable {
    /// The parameters of the call that started the sign-on.
    case parameters
    case cookies
  }

  /// Maximum length of all documents and held data of a sign-on in bytes.
  static let maximumLength = 1 << 20
  /// A page contains parts of a step, so it can be nested deeper than a document of a server.
  private static let maximumDepth = 2 * JSON.defaultDepth

  private let memory: MemoryBudget
  private let owner: uid_t
  private var texts: [Kind: [UInt8]] = [:]
  private var held: [Held: Int] = [:]
  private var length = 0
  private var isClosed = false

  init(_ memory: MemoryBudget, owner: uid_t) { (self.memory, self.owner) = (memory, owner) }

  /// Replaces the document of a kind; `nil` removes it.
  ///
  /// Throws `tooLarge` if the documents are too long or the owner's memory has no room for them.
  func keep(_ kind: Kind, _ text: [UInt8]?) throws(SignOnFailure) {
    guard !isClosed else { return }
    try change(by: (text?.count ?? 0) - (texts[kind]?.count ?? 0))
    texts[kind] = text
  }

  /// Counts data that the sign-on keeps elsewhere; throws `tooLarge` like `keep`.
  func count(_ kind: Held, _ size: Int) throws(SignOnFailure) {
    guard !isClosed else { return }
    try change(by: size - (held[kind] ?? 0))
    held[kind] = size
  }

  private func change(by difference: Int) throws(SignOnFailure) {
    guard length + difference <= Self.maximumLength, memory.changeDocuments(by: difference, of: owner) else {
      throw .tooLarge
    }
    length += difference
  }

  /// Returns the document of a kind; `nil` without one.
  func document(_ kind: Kind) -> JSON? {
    texts[kind].flatMap { try? JSON(parsing: $0, maximumDepth: Self.maximumDepth, maximumValues: .max) }
  }

  /// Discards all documents, now and later.
  func close() {
    isClosed = true
    _ = memory.changeDocuments(by: -length, of: owner)
    (texts, held, length) = ([:], [:], 0)
  }
}
