internal import ControlAPI
internal import JOSE
internal import JSON
internal import Time

/// A callback's request for a key of this machine; no key is made or used before the user decides.
struct KeyRequest: Sendable {
  enum Purpose: String, Sendable {
    /// Create a key that authenticates the user.
    case bind
    /// Sign with a key that authenticates the user.
    case sign
  }

  let purpose: Purpose
  /// The server's name of the callback type.
  let callbackType: String
  /// The text to sign, and the validity of the signature in seconds.
  let challenge: String
  let lifetime: Int
  /// The server's identifier of a new key's user, and the user's name as returned by `QuotedText.name`.
  var user = ""
  var userName = ""
  /// True if the new key requires user presence to sign.
  var wantsPresence = false
  /// The keys that can sign.
  var keys: [BoundKey] = []

  /// Maximum bytes of a text to sign, which is a random number or a text for the user to agree to.
  static let longestText = 2048
  private static let standardLifetime = 60
  private static let longestLifetime = 3600

  /// Reads the members that binding and signing share; `nil` if the challenge is missing or not displayable.
  init?(_ purpose: Purpose, _ callback: Callback) {
    guard let challenge = callback.output("challenge")?.string, !challenge.isEmpty,
      challenge.utf8.count <= Self.longestText, QuotedText.isShowable(challenge)
    else { return nil }
    (self.purpose, self.challenge, callbackType) = (purpose, challenge, callback.type)
    let timeout = callback.output("timeout").flatMap { $0.int ?? $0.string.flatMap { Int($0) } } ?? 0
    lifetime = timeout > 0 ? min(timeout, Self.longestLifetime) : Self.standardLifetime
  }

  /// Returns the text that the user agrees to, in mfad's own words.
  func sentence(at server: String) -> String {
    let (key, user) = purpose == .bind ? ("A new key", "\"\(userName)\"") : ("A key", ownerOfKeys)
    let condition = wantsPresence ? " Each use of it will require your PIN, including this one." : ""
    let content = isRandom ? "a random number of the server's" : "this text"
    return """
      \(key) of this machine will prove to \(server) that \(user) signs on.\(condition) It signs \(content):
      \(QuotedText.quoted(challenge))
      """
  }

  private var ownerOfKeys: String {
    let names = Set(keys.map(\.userName))
    return names.count == 1 ? "\"\(names.first ?? "")\"" : "the user of your choice"
  }

  /// True if the challenge looks like 32 random bytes from a server; a crafted text can look the same.
  private var isRandom: Bool {
    guard challenge.utf8.count == 44, challenge.utf8.last == UInt8(ascii: "=") else { return false }
    let text = challenge.utf8.dropLast().map { byte in
      switch byte {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      case UInt8(ascii: "-"), UInt8(ascii: "_"): UInt8(ascii: "=")
      default: byte
      }
    }
    return Base64URL.decode(String(decoding: text, as: UTF8.self))?.count == 32
  }
}

// MARK: Decisions

extension KeyRequest {
  enum Decision: Sendable {
    case bind
    case sign(BoundKey)
    case decline
  }

  /// The possible decisions, with their actions.
  var decisions: [(action: SignOnPage.Action, decision: Decision)] {
    var decisions: [(SignOnPage.Action, Decision)]
    switch purpose {
    case .bind: decisions = [(Self.action("bind", "Bind this machine"), .bind)]
    case .sign:
      decisions = keys.map { key in
        guard keys.count > 1 else { return (Self.action("sign", "Sign as \(key.userName)"), .sign(key)) }
        // The creation date distinguishes several keys.
        let label = "Sign as \(key.userName), by the key of \(key.createdAt.text)"
        return (Self.action("sign:\(key.id)", label), .sign(key))
      }
    }
    decisions.append((Self.action("decline", "Decline"), .decline))
    return decisions
  }

  /// Returns the decision that an action stands for; `nil` for any other action.
  func decision(_ action: String?) -> Decision? { decisions.first { $0.action.key == action }?.decision }

  /// Creates an action; its kind is not `submit`, so that an input without an action decides nothing.
  private static func action(_ key: String, _ label: String) -> SignOnPage.Action {
    SignOnPage.Action(key: key, label: label, kind: .flow)
  }
}
