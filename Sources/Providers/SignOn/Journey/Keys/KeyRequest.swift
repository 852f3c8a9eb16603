internal import ControlAPI
internal import JOSE
internal import JSON
internal import Time

/// What a callback wants a key of this machine for; nothing of it is done before the person says so.
struct KeyRequest: Sendable {
  enum Purpose: String, Sendable {
    /// A new key is to stand for the user.
    case bind
    /// A key that stands for the user is to sign.
    case sign
  }

  let purpose: Purpose
  /// What the server calls a callback that wants this.
  let callbackType: String
  /// The text to sign, and for how many seconds that counts.
  let challenge: String
  let lifetime: Int
  /// Whom a new key is to stand for; what the user is called before people, as `QuotedText.name` makes it.
  var user = ""
  var userName = ""
  /// Whether the new key is to sign only with its owner there.
  var wantsPresence = false
  /// The keys that can sign.
  var keys: [BoundKey] = []

  /// Longer texts are neither signed nor shown; servers send 44 characters, or what a person is to agree to.
  static let longestText = 2048
  private static let standardLifetime = 60
  private static let longestLifetime = 3600

  /// Reads what both callbacks have in common; `nil` if there is nothing to sign that a person can be shown.
  init?(_ purpose: Purpose, _ callback: Callback) {
    guard let challenge = callback.output("challenge")?.string, !challenge.isEmpty,
      challenge.utf8.count <= Self.longestText, QuotedText.isShowable(challenge)
    else { return nil }
    (self.purpose, self.challenge, callbackType) = (purpose, challenge, callback.type)
    let timeout = callback.output("timeout").flatMap { $0.int ?? $0.string.flatMap { Int($0) } } ?? 0
    lifetime = timeout > 0 ? min(timeout, Self.longestLifetime) : Self.standardLifetime
  }

  /// What a person agrees to, in words of this program's own.
  func sentence(at server: String) -> String {
    let (key, user) = purpose == .bind ? ("A new key", "\"\(userName)\"") : ("A key", whoseKeys)
    let condition = wantsPresence ? " Each use of it will want your PIN, this one too." : ""
    let content = isRandom ? "a random number of the server's" : "this text"
    return """
      \(key) of this machine will prove to \(server) that \(user) signs on.\(condition) It signs \(content):
      \(QuotedText.quoted(challenge))
      """
  }

  private var whoseKeys: String {
    let names = Set(keys.map(\.userName))
    return names.count == 1 ? "\"\(names.first ?? "")\"" : "the user of your choice"
  }

  /// Whether what is signed looks like 32 random bytes, as servers make them; a text can be made to look so too.
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

// MARK: What a person can decide

extension KeyRequest {
  enum Decision: Sendable {
    case bind
    case sign(BoundKey)
    case decline
  }

  /// The decisions by the keys of their actions.
  var decisions: [(action: SignOnPage.Action, decision: Decision)] {
    var decisions: [(SignOnPage.Action, Decision)]
    switch purpose {
    case .bind: decisions = [(Self.action("bind", "Bind this machine"), .bind)]
    case .sign:
      decisions = keys.map { key in
        guard keys.count > 1 else { return (Self.action("sign", "Sign as \(key.userName)"), .sign(key)) }
        // Of several the date tells which is which.
        let label = "Sign as \(key.userName), by the key of \(key.createdAt.text)"
        return (Self.action("sign:\(key.id)", label), .sign(key))
      }
    }
    decisions.append((Self.action("decline", "Decline"), .decline))
    return decisions
  }

  /// What an action decides; `nil` for one that is none of these.
  func decision(_ action: String?) -> Decision? { decisions.first { $0.action.key == action }?.decision }

  /// Of another kind than the step's first: whoever names no action has decided nothing.
  private static func action(_ key: String, _ label: String) -> SignOnPage.Action {
    SignOnPage.Action(key: key, label: label, kind: .flow)
  }
}
