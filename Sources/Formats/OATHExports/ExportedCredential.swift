/// What an entry of an export holds.
package enum ExportedCredential: Sendable, Equatable {
  /// The kinds in the order in which they are taken: what another can become a part of is first.
  package enum Kind: Sendable, CaseIterable {
    case push, oath
  }

  case oath(OATHRecord)
  case push(PushRecord)

  package var kind: Kind {
    switch self {
    case .oath: .oath
    case .push: .push
    }
  }

  /// The issuer and what the account is called there: what two credentials of one account have in common.
  package var names: [String] {
    switch self {
    case .oath(let record): [record.issuer, record.label]
    case .push(let record): [record.issuer, record.label]
    }
  }
}
