internal import Authenticator
internal import ControlAPI

extension HandlerTable {
  static let ownerHandlers: [Handler] = [
    .now(OwnerList.self) { service, _, _ in
      OwnerList.Answer(owners: try service.authenticator.owners())
    },
    .now(OwnerErase.self) { service, method, _ in
      try service.authenticator.erase(owner: method.uid)
      return Nothing()
    },
  ]
}
