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
    var account = label
    let prefix = issuer.lowercased() + ":"
    while let name = account, name.prefix(issuer.count + 1).lowercased() == prefix {
      account = Self.nonempty(name.dropFirst(issuer.count + 1))
    }
    (self.issuer, self.account) = (issuer, account)
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
