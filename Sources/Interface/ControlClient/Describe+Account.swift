package import ControlAPI

extension Describe {
  /// Who is meant, and by whom: what a person knows an account by among all that they have.
  package static func account(_ account: Account, among all: [Account] = []) -> SafeText {
    let place = account.issuer == nil && account.geography != nil ? "PingOne " : "" as SafeText
    let issuer = issuer(of: account, among: all).map { "\(place)\($0)" as SafeText }
    let parts = [name(of: account), account.user.map { user($0) }, issuer].compactMap(\.self)
    return parts.enumerated().filter { index, part in !parts[..<index].contains { $0.text == part.text } }
      .map(\.element).joined(separator: ", ")
  }

  /// Whose a request is; where that account is not among these, by its id.
  package static func account(of request: NotificationObject, among all: [Account]) -> SafeText {
    all.first { $0.id == request.account }.map { account($0, among: all) } ?? "\(request.account)"
  }

  /// While its owner is locked an account has no name.
  package static func name(of account: Account) -> SafeText {
    let name = account.nickname ?? account.label
    return name.isEmpty ? "-" : "\(name)"
  }

  /// Who set it up: where all are in one environment the geography says enough.
  package static func issuer(of account: Account, among all: [Account]) -> SafeText? {
    if let issuer = account.issuer { return "\(issuer)" }
    guard let geography = account.geography?.name else { return nil }
    let environments = Set(all.compactMap(\.environment?.id))
    guard environments.count > 1, let environment = account.environment?.id else { return "\(geography)" }
    return "\(geography) \(environment.prefix(8))"
  }
}
