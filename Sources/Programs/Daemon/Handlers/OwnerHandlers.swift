internal import Accounts
internal import ControlAPI
internal import Vault

extension HandlerTable {
  static let ownerHandlers: [Handler] = [
    .now(OwnerList.self) { service, _, _ in
      try service.owners.all().map { owner in
        Owner(
          uid: owner.uid,
          accounts: try service.accounts.activeCount(of: owner.uid),
          createdAt: owner.createdAt
        )
      }
    },
    .later(OwnerErase.self) { service, method, _ in
      try await service.owners.erase(method.uid)
      return Nothing()
    },
  ]
}
