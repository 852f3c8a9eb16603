package import JSONRPC

package struct AuthenticationList: ControlMethod {
  package static let name = "authentication.list"
  package static let access = AccessClass.read
  package static let summary = "lists the authentication codes that were claimed"
  package static let errors: [RPCError] = [.keyUnavailable]
  package static let parameters = Shape(AuthenticationList.init)
  package static let envelope: Shape<[AuthenticationObject]>? = .member("authentications", "the codes")
  package static var example: Example<Self> { Example(AuthenticationList(), [Samples.code]) }

  package init() {}
}
