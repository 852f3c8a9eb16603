package import JSONRPC

package struct OwnerList: ControlMethod {
  package static let name = "owner.list"
  package static let access = AccessClass.service
  package static let summary = "lists everybody who has something here"
  package static let errors: [RPCError] = [.permissionDenied]
  package static let parameters = Shape(OwnerList.init)
  package static let envelope: Shape<[Owner]>? = .member("owners", "the owners")
  package static var example: Example<Self> {
    Example(
      OwnerList(),
      [Owner(uid: 1000, accounts: 1, createdAt: Samples.instant)]
    )
  }

  package init() {}
}
