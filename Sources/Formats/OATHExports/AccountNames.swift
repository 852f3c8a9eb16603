internal import Text

/// The issuer and the account name of a credential; either may be missing.
public struct AccountNames: Sendable, Hashable {
  public let issuer: String?
  /// The account name at the issuer, without the issuer in front of it.
  public let account: String?

  /// The name for a missing one, as in PingAM's clients.
  private static let untitled = "Untitled"

  /// Reads the names; without an issuer, a label `issuer:account` contains both.
  public init(issuer: String?, label: String?) {
    let (issuer, label) = (Self.nonempty(issuer ?? ""), Self.nonempty(label ?? ""))
    guard let issuer else {
      let parts = (label ?? "").split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      account = parts.last.flatMap(Self.nonempty)
      self.issuer = parts.count > 1 ? Self.nonempty(parts[0]) : nil
      return
    }
    self.issuer = issuer
    account = label.flatMap { Self.nonempty(Self.name($0[...], without: issuer)) }
  }

  /// Returns an account name without the issuer in front of it, even if it is there many times.
  ///
  /// Copies no text, so that the cost is proportional to the length.
  private static func name(_ label: Substring, without issuer: String) -> Substring {
    let (prefix, length) = (issuer.lowercased() + ":", issuer.count + 1)
    var name = label
    while name.prefix(length).lowercased() == prefix { name = name.dropFirst(length).trimmed }
    return name
  }

  private init(_ issuer: String?, _ account: String?) { (self.issuer, self.account) = (issuer, account) }

  /// Returns the names with missing ones from `other`.
  func filled(from other: AccountNames) -> AccountNames {
    AccountNames(issuer ?? other.issuer, account ?? other.account)
  }

  /// The names of the account to create: an account name alone is both names, and a missing one is "Untitled".
  public var complete: (issuer: String, account: String) {
    (issuer ?? account ?? Self.untitled, account ?? Self.untitled)
  }

  private static func nonempty(_ name: some StringProtocol) -> String? {
    let trimmed = String(name).trimmed
    return trimmed.isEmpty ? nil : String(trimmed)
  }
}
